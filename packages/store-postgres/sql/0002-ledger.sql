-- The money. The rules and every answer are those of the pure reducer in packages/budget: change them together.
--
-- 1. Each function locks the run's head first, so no envelope or hold of a run is ever changed by two at once.
-- 2. An envelope's `reserved` is the sum of the open holds below it.
-- 3. A hold ends once; later endings get the first answer and change nothing.
-- 4. A dispatched hold is never ended for nothing.

create function bridle.plus(a bigint[], b bigint[]) returns bigint[]
language sql immutable parallel safe as $$
  -- Sums stop at 2^53-1, beyond which JSON's integers are no longer exact.
  select array[least(a[1] + b[1], 9007199254740991), least(a[2] + b[2], 9007199254740991),
               least(a[3] + b[3], 9007199254740991)]
$$;

create function bridle.minus(a bigint[], b bigint[]) returns bigint[]
language sql immutable parallel safe as $$
  select array[a[1] - b[1], a[2] - b[2], a[3] - b[3]]
$$;

create function bridle.wire(a bigint[]) returns json
language sql immutable parallel safe as $$
  select json_build_object('tokens', a[1]::text, 'nanoUsd', a[2]::text, 'calls', a[3]::text)
$$;

create function bridle.dimension_name(d int) returns text
language sql immutable parallel safe as $$
  select (array['tokens', 'nanoUsd', 'calls'])[d]
$$;

-- The dimension in which an envelope has reached 90 % of its limit (rounded up); null while in none.
create function bridle.over_line(settled bigint[], limits bigint[]) returns text
language plpgsql immutable parallel safe as $$
begin
  for d in 1..3 loop
    if settled[d] > 0 and settled[d] >= (limits[d] * 90 + 99) / 100 then
      return bridle.dimension_name(d);
    end if;
  end loop;
  return null;
end $$;

-- Appends to the run's log. Contract: the caller holds the run's head. Nothing follows the end of a run.
create function bridle.append_entries(p_run text, p_events text[], p_is_decision boolean)
returns bigint language plpgsql as $$
declare
  v_seq bigint;
begin
  update bridle.run_head set seq = seq + cardinality(p_events)
    where run_id = p_run and not ended returning seq - cardinality(p_events) into v_seq;
  if not found then return null; end if;
  insert into bridle.entry (run_id, seq, is_decision, event)
    select p_run, v_seq + n, p_is_decision, event
    from unnest(p_events) with ordinality as given (event, n);
  return v_seq + cardinality(p_events);
end $$;

create function bridle.append_ledger_entry(p_head bridle.run_head, p_type text, p_at double precision, p_fields jsonb)
returns void language plpgsql as $$
begin
  if p_head.ended then return; end if;
  perform bridle.append_entries(p_head.run_id, array[(jsonb_build_object(
    'type', p_type, 'at', p_at, 'runId', p_head.run_id, 'traceId', p_head.trace_id) || p_fields)::text], false);
end $$;

create function bridle.hold_fields(p_hold bridle.hold) returns jsonb
language sql stable as $$
  select jsonb_build_object('taskId', p_hold.task_id, 'attempt', p_hold.attempt, 'step', p_hold.step,
    'holdId', p_hold.hold_id, 'amounts', bridle.wire(p_hold.amounts))
$$;

create function bridle.lock_head(p_run text) returns bridle.run_head
language sql as $$
  select * from bridle.run_head where run_id = p_run for update
$$;

create function bridle.is_fenced(p_run text, p_task text, p_attempt int) returns boolean
language sql stable as $$
  select coalesce((select p_attempt < fence or p_attempt <= ended_attempt
    from bridle.task where run_id = p_run and task_id = p_task), false)
$$;

-- Why one level cannot pay; nulls when it can.
create function bridle.finding(
  p_envelope bridle.envelope, p_amounts bigint[], p_kind text,
  out refusal text, out dimension text
) language plpgsql immutable as $$
declare
  v_line bigint;
  v_after bigint;
begin
  dimension := 'none';
  if p_envelope.closed then refusal := 'closed'; return; end if;
  if cardinality(p_envelope.frozen_by) > 0 then refusal := 'frozen'; return; end if;
  if p_envelope.tripped_by is not null and not (p_kind = 'ladder' and p_envelope.on_trip = 'ladder') then
    refusal := 'tripped';
    dimension := p_envelope.tripped_by;
    return;
  end if;
  for d in 1..3 loop
    continue when p_amounts[d] = 0;
    v_line := p_envelope.limits[d];
    if p_envelope.credit_mode = 'strict' then v_line := v_line * 90 / 100; end if;
    v_after := p_envelope.settled[d] + p_amounts[d];
    if v_after > v_line then
      refusal := 'never_fits';
      dimension := bridle.dimension_name(d);
      return;
    end if;
    if refusal is null and v_after + p_envelope.reserved[d] > v_line then
      refusal := 'transient';
      dimension := bridle.dimension_name(d);
    end if;
  end loop;
end $$;

create function bridle.refusal_rank(p_refusal text) returns int
language sql immutable parallel safe as $$
  select array_position(array['fenced', 'closed', 'frozen', 'tripped', 'never_fits', 'transient'], p_refusal)
$$;

create function bridle.reserve(
  p_run text, p_task text, p_attempt int, p_hold text, p_step int, p_amounts bigint[], p_kind text,
  p_at double precision,
  out refusal text, out envelope text, out dimension text,
  out settled bigint[], out reserved bigint[], out limits bigint[]
) language plpgsql as $$
declare
  v_head bridle.run_head;
  v_known bridle.hold;
  v_run bridle.envelope;
  v_task bridle.envelope;
  v_level bridle.envelope;
  v_at_run record;
  v_at_task record;
begin
  v_head := bridle.lock_head(p_run);
  if v_head.run_id is null then
    refusal := 'closed';
    envelope := 'run';
    dimension := 'none';
    return;
  end if;
  select * into v_known from bridle.hold h where h.run_id = p_run and h.hold_id = p_hold;
  if found then
    if v_known.task_id = p_task and v_known.attempt = p_attempt and v_known.amounts = p_amounts then
      return;
    end if;
    raise exception 'Hold % exists with another owner or other amounts.', p_hold using errcode = 'BRN02';
  end if;
  select * into v_run from bridle.envelope e where e.run_id = p_run and e.name = 'run';
  select * into v_task from bridle.envelope e where e.run_id = p_run and e.name = p_task;
  if bridle.is_fenced(p_run, p_task, p_attempt) then
    refusal := 'fenced';
    dimension := 'none';
    -- Where the task has no envelope there is no path, and so no root whose figures could be told.
    if v_task.name is not null then v_level := v_run; end if;
  elsif v_task.name is null then
    -- An envelope that was never opened pays for nothing.
    refusal := 'closed';
    dimension := 'none';
  else
    v_at_run := bridle.finding(v_run, p_amounts, p_kind);
    v_at_task := bridle.finding(v_task, p_amounts, p_kind);
    if v_at_run.refusal is not null and (v_at_task.refusal is null
      or bridle.refusal_rank(v_at_run.refusal) <= bridle.refusal_rank(v_at_task.refusal)) then
      v_level := v_run;
      refusal := v_at_run.refusal;
      dimension := v_at_run.dimension;
    elsif v_at_task.refusal is not null then
      v_level := v_task;
      refusal := v_at_task.refusal;
      dimension := v_at_task.dimension;
    end if;
  end if;
  if refusal is not null then
    envelope := coalesce(v_level.name, p_task);
    settled := v_level.settled;
    reserved := v_level.reserved;
    limits := v_level.limits;
    if refusal <> 'fenced' then
      perform bridle.append_ledger_entry(v_head, 'budget.refused', p_at, jsonb_build_object(
        'taskId', p_task, 'attempt', p_attempt, 'step', p_step, 'refusal', refusal, 'envelope', envelope,
        'requested', bridle.wire(p_amounts), 'settled', bridle.wire(coalesce(settled, '{0,0,0}')),
        'reserved', bridle.wire(coalesce(reserved, '{0,0,0}')), 'limit', bridle.wire(coalesce(limits, '{0,0,0}'))));
    end if;
    return;
  end if;
  update bridle.envelope e set reserved = bridle.plus(e.reserved, p_amounts)
    where e.run_id = p_run and e.name in ('run', p_task);
  insert into bridle.hold (run_id, hold_id, task_id, attempt, step, amounts, status, renewed_at)
    values (p_run, p_hold, p_task, p_attempt, p_step, p_amounts, 'held', p_at) returning * into v_known;
  perform bridle.append_ledger_entry(v_head, 'budget.reserved', p_at, bridle.hold_fields(v_known));
end $$;

create function bridle.dispatch(p_run text, p_task text, p_attempt int, p_hold text) returns boolean
language plpgsql as $$
declare
  v_head bridle.run_head;
begin
  v_head := bridle.lock_head(p_run);
  if v_head.run_id is null or bridle.is_fenced(p_run, p_task, p_attempt) then return false; end if;
  if exists (select from bridle.envelope
    where run_id = p_run and name in ('run', p_task) and closed) then return false; end if;
  update bridle.hold set status = 'dispatched'
    where run_id = p_run and hold_id = p_hold and task_id = p_task and attempt = p_attempt and is_open;
  return found;
end $$;

-- Ends an open hold with a charge. Contract: the caller holds the run's head.
create function bridle.charge(
  p_head bridle.run_head, p_hold bridle.hold, p_actual bigint[], p_basis text, p_status text, p_at double precision
) returns boolean language plpgsql as $$
declare
  v_overrun boolean := p_actual[1] > p_hold.amounts[1] or p_actual[2] > p_hold.amounts[2] or p_actual[3] > p_hold.amounts[3];
  v_fields jsonb := bridle.hold_fields(p_hold) || jsonb_build_object('actual', bridle.wire(p_actual));
  v_level record;
begin
  update bridle.hold set is_open = false, status = p_status, charged = p_actual, overrun = v_overrun, basis = p_basis
    where run_id = p_hold.run_id and hold_id = p_hold.hold_id;
  update bridle.envelope set reserved = bridle.minus(reserved, p_hold.amounts), settled = bridle.plus(settled, p_actual)
    where run_id = p_hold.run_id and name in ('run', p_hold.task_id);
  perform bridle.append_ledger_entry(p_head, 'budget.settled', p_at, v_fields || jsonb_build_object('basis', p_basis));
  if v_overrun then perform bridle.append_ledger_entry(p_head, 'budget.overrun', p_at, v_fields); end if;
  for v_level in
    select e.name, e.settled, e.limits, bridle.over_line(e.settled, e.limits) as dimension
    from bridle.envelope e
    where e.run_id = p_hold.run_id and e.name in ('run', p_hold.task_id) and e.tripped_by is null
    order by e.ordinal
  loop
    continue when v_level.dimension is null;
    update bridle.envelope set tripped_by = v_level.dimension where run_id = p_hold.run_id and name = v_level.name;
    perform bridle.append_ledger_entry(p_head, 'budget.exhausted', p_at, jsonb_build_object(
      'envelope', v_level.name, 'settled', bridle.wire(v_level.settled), 'limit', bridle.wire(v_level.limits),
      'dimension', v_level.dimension));
  end loop;
  return v_overrun;
end $$;

-- Ends a hold of which nobody says what it cost: for nothing if it never left, else at what was reserved.
create function bridle.end_unreported(p_head bridle.run_head, p_hold bridle.hold, p_reason text, p_at double precision)
returns void language plpgsql as $$
declare
  v_is_expired boolean := p_reason = 'expired';
begin
  if p_hold.status = 'dispatched' then
    perform bridle.charge(p_head, p_hold, p_hold.amounts, 'unknown',
      case when v_is_expired then 'expired' else 'settled' end, p_at);
    return;
  end if;
  update bridle.hold set is_open = false, status = case when v_is_expired then 'expired' else 'released' end
    where run_id = p_hold.run_id and hold_id = p_hold.hold_id;
  update bridle.envelope set reserved = bridle.minus(reserved, p_hold.amounts)
    where run_id = p_hold.run_id and name in ('run', p_hold.task_id);
  perform bridle.append_ledger_entry(p_head, 'budget.released', p_at,
    bridle.hold_fields(p_hold) || jsonb_build_object('reason', p_reason));
end $$;

-- The answer for a hold that has ended, or null columns when there is none of this spender.
create function bridle.first_answer(
  p_run text, p_task text, p_attempt int, p_hold text,
  out ending text, out charged bigint[], out overrun boolean, out basis text
) language sql stable as $$
  select case when h.charged is null then 'released' else 'settled' end, h.charged, h.overrun, h.basis
  from bridle.hold h
  where h.run_id = p_run and h.hold_id = p_hold and h.task_id = p_task and h.attempt = p_attempt and not h.is_open
$$;

-- p_actual null: release (BU-12: a dispatched hold is then charged at what was reserved).
create function bridle.end_hold(
  p_run text, p_task text, p_attempt int, p_hold text, p_actual bigint[], p_basis text, p_at double precision,
  out ending text, out charged bigint[], out overrun boolean, out basis text
) language plpgsql as $$
declare
  v_head bridle.run_head;
  v_hold bridle.hold;
begin
  v_head := bridle.lock_head(p_run);
  select * into v_hold from bridle.hold h
    where h.run_id = p_run and h.hold_id = p_hold and h.task_id = p_task and h.attempt = p_attempt and h.is_open;
  if found then
    if p_actual is null then
      perform bridle.end_unreported(v_head, v_hold, 'undispatched', p_at);
    else
      perform bridle.charge(v_head, v_hold, p_actual, p_basis, 'settled', p_at);
    end if;
  end if;
  select a.ending, a.charged, a.overrun, a.basis into ending, charged, overrun, basis
    from bridle.first_answer(p_run, p_task, p_attempt, p_hold) a;
end $$;

-- Ends the holds of one attempt. Contract: the caller holds the run's head.
create function bridle.end_attempt_holds(p_head bridle.run_head, p_task text, p_attempt int, p_at double precision)
returns void language plpgsql as $$
declare
  v_hold bridle.hold;
begin
  for v_hold in select * from bridle.hold
    where run_id = p_head.run_id and task_id = p_task and attempt = p_attempt and is_open
    order by ordinal
  loop
    perform bridle.end_unreported(p_head, v_hold, 'attempt_ended', p_at);
  end loop;
end $$;

create function bridle.expire_holds(p_older_than double precision, p_at double precision) returns int
language plpgsql as $$
declare
  v_run text;
  v_head bridle.run_head;
  v_hold bridle.hold;
  v_count int := 0;
begin
  -- Heads in the order of their ids, so that two of these never wait for each other.
  for v_run in select distinct run_id from bridle.hold where is_open and renewed_at < p_older_than order by run_id loop
    v_head := bridle.lock_head(v_run);
    for v_hold in select * from bridle.hold
      where run_id = v_run and is_open and renewed_at < p_older_than order by ordinal
    loop
      perform bridle.end_unreported(v_head, v_hold, 'expired', p_at);
      v_count := v_count + 1;
    end loop;
  end loop;
  return v_count;
end $$;

-- A row that another operation holds at this moment is skipped: it is being changed or ended anyway, and waiting for
-- several rows in any order could end in a deadlock. The next renewal comes in a quarter of the expiry.
create function bridle.renew_holds(p_holds text[], p_at double precision) returns void
language sql as $$
  update bridle.hold set renewed_at = greatest(renewed_at, p_at)
  where (run_id, hold_id) in (
    select run_id, hold_id from bridle.hold where hold_id = any(p_holds) and is_open for update skip locked)
$$;

-- Contract: the caller holds the run's head.
create function bridle.close_locked(p_head bridle.run_head, p_envelope text, p_at double precision) returns void
language plpgsql as $$
begin
  update bridle.envelope set closed = true where run_id = p_head.run_id and name = p_envelope and not closed;
  if found then
    perform bridle.append_ledger_entry(p_head, 'budget.closed', p_at, jsonb_build_object('envelope', p_envelope));
  end if;
end $$;

create function bridle.close_envelope(p_run text, p_envelope text, p_at double precision) returns void
language plpgsql as $$
declare
  v_head bridle.run_head;
begin
  v_head := bridle.lock_head(p_run);
  if v_head.run_id is not null then perform bridle.close_locked(v_head, p_envelope, p_at); end if;
end $$;

create function bridle.raise_envelope(p_run text, p_envelope text, p_by bigint[]) returns setof bridle.envelope
language plpgsql as $$
begin
  perform bridle.lock_head(p_run);
  update bridle.envelope set limits = bridle.plus(limits, p_by) where run_id = p_run and name = p_envelope;
  return query update bridle.envelope
    set tripped_by = case when tripped_by is null then null else bridle.over_line(settled, limits) end
    where run_id = p_run and name = p_envelope returning *;
end $$;
