export { AlertDesk, type AlertDeskOptions, type AlertReceiver } from "./alert-desk.ts";
export { alertOf, type AlertDraft } from "./alert-of.ts";
export type { SendAlert } from "./courier.ts";
export { alertDeskDefaults, type AlertDeskSettings } from "./desk-settings.ts";
