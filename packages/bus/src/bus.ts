import type { BridleEvent, EventOf, EventType } from "@bridle/protocol";

/**
 * Contract: only enqueues or updates memory, may be called for the same event as others, never blocks. Throwing or
 * rejecting is contained, not encouraged.
 */
export type Handler<Event> = (event: Event) => void | Promise<void>;

/** What failed, without the event's payload: payloads may hold what a log must not. */
export interface HandlerFailure {
  readonly type: EventType;
  readonly error: unknown;
}

export interface BusOptions {
  /** Contract: called once per failure. May emit, may even throw: both are contained. */
  readonly onHandlerError: (failure: HandlerFailure) => void;
}

/** Typed publish and subscribe inside one process. Emit after the state is set (GC-2), never before. */
export interface Bus {
  /**
   * Never throws. Outside a handler it returns when the event and all it caused has been delivered; inside one it
   * returns at once and the event waits its turn.
   */
  emit(event: BridleEvent): void;
  /** Returns the unsubscriber; calling it twice is harmless. */
  on<Type extends EventType>(type: Type, handler: Handler<EventOf<Type>>): () => void;
  /** Called for every event, after the handlers of its type. */
  onAny(handler: Handler<BridleEvent>): () => void;
  /** Handlers subscribed now, of one type or all: a test that ends with some left has a leak. */
  handlerCount(type?: EventType): number;
  /** Handlers that threw or rejected so far, whether reported or not. */
  readonly failures: number;
}
