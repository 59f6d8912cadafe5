-- Envelopes carved from envelopes, for tasks that tasks spawn (LF-8); and what schedulers answer workers that ask for one. The rules and
-- every answer are those of packages/budget/src/carved.ts and envelope-moves.ts: change them together.
--
-- 1. What an envelope keeps reserved above it, in each dimension: carved, open and limited, its limit less what it has spent, or what it
--    has reserved if that is more; any other, what it has reserved.
-- 2. `reserved` and `settled` of a level are the sums of its own holds and of what those below it keep there, always.
-- 3. A run in which nothing was ever carved pays for none of this: its head says so.

-- `parent`: what a carved envelope was carved from. Null: the run's own, or a cap in the run's.
alter table bridle.envelope
  add column parent text collate "C",
  add column is_carved boolean not null default false;
alter table bridle.run_head add column has_carved boolean not null default false;

-- What schedulers answer the workers of a task. The first answer under a key stands.
create table bridle.answer (
  run_id text collate "C" not null,
  task_id text collate "C" not null,
  -- A JSON string: an author may have put any character into it.
  key text collate "C" not null,
  body text not null,
  primary key (run_id, task_id, key)
);

-- From a task's envelope up to the run's.
create function bridle.path_of(p_run text, p_task text) returns text[]
language plpgsql stable as $$
declare
  v_path text[] := '{}';
  v_name text := p_task;
begin
  while v_name is not null and v_name <> 'run' loop
    v_path := v_path || v_name;
    select e.parent into v_name from bridle.envelope e where e.run_id = p_run and e.name = v_name;
  end loop;
  return v_path || 'run'::text;
end $$;

create function bridle.levels_of(p_head bridle.run_head, p_task text) returns text[]
language sql stable as $$
  select case when p_head.has_carved then bridle.path_of(p_head.run_id, p_task) else array[p_task, 'run'] end
$$;

create function bridle.upward_of(p_envelope bridle.envelope, p_reserved bigint[]) returns bigint[]
language sql immutable as $$
  select case when not p_envelope.is_carved or p_envelope.closed then p_reserved else (
    select array_agg(case when l = 9007199254740991 then r else greatest(l - s, r) end order by n)
    from unnest(p_envelope.limits, p_envelope.settled, p_reserved) with ordinality as figures (l, s, r, n)) end
$$;

-- Changes the first of these levels, and those above it as far as it concerns them. Figures may be negative.
-- Contract: the caller holds the run's head.
create function bridle.shift(p_run text, p_levels text[], p_reserved bigint[], p_settled bigint[]) returns void
language plpgsql as $$
declare
  v_name text;
  v_change bigint[] := p_reserved;
  v_before bigint[];
  v_level bridle.envelope;
begin
  foreach v_name in array p_levels loop
    select bridle.upward_of(e, e.reserved) into v_before from bridle.envelope e where e.run_id = p_run and e.name = v_name;
    continue when not found;
    update bridle.envelope e set reserved = bridle.plus(e.reserved, v_change), settled = bridle.plus(e.settled, p_settled)
      where e.run_id = p_run and e.name = v_name returning * into v_level;
    v_change := bridle.minus(bridle.upward_of(v_level, v_level.reserved), v_before);
  end loop;
end $$;

-- What can be carved from the first of these levels; 2^53-1 where none of them has a limit. Contract: the caller holds the run's head.
create function bridle.room_along(p_run text, p_levels text[], p_at double precision) returns bigint[]
language plpgsql as $$
declare
  v_name text;
  v_level bridle.envelope;
  v_room bigint[] := '{9007199254740991,9007199254740991,9007199254740991}';
  v_is_asked boolean[] := '{true,true,true}';
  v_own bigint;
  v_left bigint[];
  v_day int;
begin
  foreach v_name in array p_levels loop
    select * into v_level from bridle.envelope e where e.run_id = p_run and e.name = v_name;
    for d in 1..3 loop
      continue when not v_is_asked[d];
      v_own := case
        when v_level.closed or v_level.tripped_by is not null or cardinality(v_level.frozen_by) > 0 then 0
        when v_level.limits[d] = 9007199254740991 then 9007199254740991
        else greatest(0, case v_level.credit_mode when 'strict' then v_level.limits[d] * 90 / 100 else v_level.limits[d] end
          - v_level.settled[d] - v_level.reserved[d]) end;
      v_room[d] := least(v_room[d], v_own);
      -- What it was given is set aside above already.
      if v_level.is_carved and v_level.limits[d] <> 9007199254740991 then v_is_asked[d] := false; end if;
    end loop;
    if v_name = 'run' and v_level.above <> '{}' and true = any(v_is_asked) then
      v_day := bridle.lock_outer(v_level.above, p_at);
      select array[min(l[1]), min(l[2]), min(l[3])] into v_left
        from (select bridle.outer_left(o, v_day) as l from bridle.outer_envelope o where o.scope = any(v_level.above)) lefts;
      v_left := bridle.plus(v_level.granted, v_left);
      for d in 1..3 loop
        continue when not v_is_asked[d] or v_left[d] = 9007199254740991;
        v_room[d] := least(v_room[d], greatest(0, v_left[d] - v_level.settled[d] - v_level.reserved[d]));
      end loop;
    end if;
  end loop;
  return v_room;
end $$;

create function bridle.within_room(p_asked bigint[], p_room bigint[]) returns bigint[]
language sql immutable parallel safe as $$
  select array_agg(case when a = 9007199254740991 then a else least(a, r) end order by n)
  from unnest(p_asked, p_room) with ordinality as figures (a, r, n)
$$;

-- The new limit of an envelope; carved, it is set aside above, and the run has it from what is above the run.
-- Contract: the caller holds the run's head.
create function bridle.grow(p_run text, p_name text, p_limits bigint[], p_at double precision) returns void
language plpgsql as $$
declare
  v_own bridle.envelope;
  v_before bigint[];
  v_levels text[];
  v_run bridle.envelope;
  v_reserved bigint[];
begin
  select bridle.upward_of(e, e.reserved) into v_before from bridle.envelope e where e.run_id = p_run and e.name = p_name;
  update bridle.envelope e set limits = p_limits where e.run_id = p_run and e.name = p_name returning * into v_own;
  if v_own.is_carved is distinct from true then return; end if;
  v_levels := bridle.path_of(p_run, p_name);
  select * into v_run from bridle.envelope e where e.run_id = p_run and e.name = 'run';
  perform bridle.shift(p_run, v_levels[2:], bridle.minus(bridle.upward_of(v_own, v_own.reserved), v_before), '{0,0,0}');
  if v_run.above = '{}' then return; end if;
  select e.reserved into v_reserved from bridle.envelope e where e.run_id = p_run and e.name = 'run';
  perform bridle.carve(v_run, bridle.minus(v_reserved, v_run.reserved), p_at);
end $$;

-- p_envelopes: [{ "taskId", tokens, "nanoUsd", calls, "creditMode", "onTrip", "carvedFrom"? }]. Opening one again changes nothing.
-- Contract: the caller holds the run's head.
create function bridle.open_envelopes(p_run text, p_envelopes json, p_at double precision) returns void
language plpgsql as $$
declare
  v_new record;
  v_room bigint[];
begin
  insert into bridle.envelope (run_id, name, limits, credit_mode, on_trip)
    select p_run, "taskId", array[tokens, "nanoUsd", calls], "creditMode", "onTrip"
    from json_to_recordset(p_envelopes) as given
      ("taskId" text, tokens bigint, "nanoUsd" bigint, calls bigint, "creditMode" text, "onTrip" text, "carvedFrom" text)
    where "carvedFrom" is null
    on conflict do nothing;
  for v_new in
    select * from json_to_recordset(p_envelopes) as given
      ("taskId" text, tokens bigint, "nanoUsd" bigint, calls bigint, "creditMode" text, "onTrip" text, "carvedFrom" text)
    where "carvedFrom" is not null
  loop
    continue when exists (select from bridle.envelope e where e.run_id = p_run and e.name = v_new."taskId");
    v_room := bridle.room_along(p_run, bridle.path_of(p_run, v_new."carvedFrom"), p_at);
    insert into bridle.envelope (run_id, name, limits, credit_mode, on_trip, parent, is_carved)
      values (p_run, v_new."taskId", '{0,0,0}', v_new."creditMode", v_new."onTrip", v_new."carvedFrom", true);
    update bridle.run_head h set has_carved = true where h.run_id = p_run and not h.has_carved;
    perform bridle.grow(p_run, v_new."taskId",
      bridle.within_room(array[v_new.tokens, v_new."nanoUsd", v_new.calls], v_room), p_at);
  end loop;
end $$;

-- As in 0013, and at every level of a carved task.
create or replace function bridle.reserve(
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
  v_above record;
  v_levels text[];
  v_name text;
  -- What a level is asked for: what is not set aside there already.
  v_need bigint[] := p_amounts;
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
  elsif v_task.is_carved then
    v_levels := bridle.path_of(p_run, p_task);
    foreach v_name in array v_levels loop
      select * into v_run from bridle.envelope e where e.run_id = p_run and e.name = v_name;
      v_at_run := bridle.finding(v_run, v_need, p_kind);
      -- Among equals the one nearest the run.
      if v_at_run.refusal is not null
        and (refusal is null or bridle.refusal_rank(v_at_run.refusal) <= bridle.refusal_rank(refusal)) then
        v_level := v_run;
        refusal := v_at_run.refusal;
        dimension := v_at_run.dimension;
      end if;
      if v_run.is_carved and v_at_run.refusal is not null then
        -- It is the one that does not pay; above it is asked only whether anything may be spent.
        v_need := '{0,0,0}';
      elsif v_name <> 'run' then
        v_need := bridle.minus(
          bridle.upward_of(v_run, bridle.plus(v_run.reserved, v_need)), bridle.upward_of(v_run, v_run.reserved));
      end if;
    end loop;
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
  envelope := coalesce(v_level.name, p_task);
  settled := v_level.settled;
  reserved := v_level.reserved;
  limits := v_level.limits;
  if refusal is null and v_run.above <> '{}' then
    v_above := bridle.carve(v_run, v_need, p_at);
    if v_above.scope is not null and p_kind <> 'unenforced' then
      refusal := v_above.refusal;
      envelope := v_above.scope;
      dimension := v_above.dimension;
      settled := v_above.given;
      reserved := '{0,0,0}';
      limits := v_above.limits;
    end if;
  end if;
  if refusal is not null then
    if refusal <> 'fenced' then
      perform bridle.append_ledger_entry(v_head, 'budget.refused', p_at, jsonb_build_object(
        'taskId', p_task, 'attempt', p_attempt, 'step', p_step, 'refusal', refusal, 'envelope', envelope,
        'requested', bridle.wire(p_amounts), 'settled', bridle.wire(coalesce(settled, '{0,0,0}')),
        'reserved', bridle.wire(coalesce(reserved, '{0,0,0}')), 'limit', bridle.wire(coalesce(limits, '{0,0,0}'))));
    end if;
    return;
  end if;
  if v_task.is_carved then
    perform bridle.shift(p_run, v_levels, p_amounts, '{0,0,0}');
  else
    update bridle.envelope e set reserved = bridle.plus(e.reserved, p_amounts)
      where e.run_id = p_run and e.name in ('run', p_task);
  end if;
  insert into bridle.hold (run_id, hold_id, task_id, attempt, step, amounts, status, renewed_at)
    values (p_run, p_hold, p_task, p_attempt, p_step, p_amounts, 'held', p_at) returning * into v_known;
  perform bridle.append_ledger_entry(v_head, 'budget.reserved', p_at, bridle.hold_fields(v_known));
end $$;

-- As in 0002, and at every level.
create or replace function bridle.dispatch(p_run text, p_task text, p_attempt int, p_hold text) returns boolean
language plpgsql as $$
declare
  v_head bridle.run_head;
begin
  v_head := bridle.lock_head(p_run);
  if v_head.run_id is null or bridle.is_fenced(p_run, p_task, p_attempt) then return false; end if;
  if exists (select from bridle.envelope
    where run_id = p_run and name = any(bridle.levels_of(v_head, p_task)) and closed) then return false; end if;
  update bridle.hold set status = 'dispatched'
    where run_id = p_run and hold_id = p_hold and task_id = p_task and attempt = p_attempt and is_open;
  return found;
end $$;

-- As in 0013, and at every level.
create or replace function bridle.charge(
  p_head bridle.run_head, p_hold bridle.hold, p_actual bigint[], p_basis text, p_status text, p_at double precision
) returns boolean language plpgsql as $$
declare
  v_overrun boolean := p_actual[1] > p_hold.amounts[1] or p_actual[2] > p_hold.amounts[2] or p_actual[3] > p_hold.amounts[3];
  v_fields jsonb := bridle.hold_fields(p_hold) || jsonb_build_object('actual', bridle.wire(p_actual));
  v_levels text[] := bridle.levels_of(p_head, p_hold.task_id);
  v_level record;
begin
  update bridle.hold set is_open = false, status = p_status, charged = p_actual, overrun = v_overrun, basis = p_basis,
      charged_at = p_at
    where run_id = p_hold.run_id and hold_id = p_hold.hold_id;
  if p_head.has_carved then
    perform bridle.shift(p_hold.run_id, v_levels, bridle.minus('{0,0,0}', p_hold.amounts), p_actual);
  else
    update bridle.envelope set reserved = bridle.minus(reserved, p_hold.amounts), settled = bridle.plus(settled, p_actual)
      where run_id = p_hold.run_id and name in ('run', p_hold.task_id);
  end if;
  perform bridle.append_ledger_entry(p_head, 'budget.settled', p_at, v_fields || jsonb_build_object('basis', p_basis));
  if v_overrun then perform bridle.append_ledger_entry(p_head, 'budget.overrun', p_at, v_fields); end if;
  for v_level in
    select e.name, e.settled, e.limits, bridle.over_line(e.settled, e.limits) as dimension
    from bridle.envelope e
    where e.run_id = p_hold.run_id and e.name = any(v_levels) and e.tripped_by is null
    order by e.ordinal
  loop
    continue when v_level.dimension is null;
    update bridle.envelope set tripped_by = v_level.dimension where run_id = p_hold.run_id and name = v_level.name;
    perform bridle.append_ledger_entry(p_head, 'budget.exhausted', p_at, jsonb_build_object(
      'envelope', v_level.name, 'settled', bridle.wire(v_level.settled), 'limit', bridle.wire(v_level.limits),
      'dimension', v_level.dimension));
  end loop;
  perform bridle.charge_excess(p_hold.run_id, p_at);
  perform bridle.return_rest(p_hold.run_id, p_at);
  return v_overrun;
end $$;

create or replace function bridle.end_unreported(p_head bridle.run_head, p_hold bridle.hold, p_reason text, p_at double precision)
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
  if p_head.has_carved then
    perform bridle.shift(p_hold.run_id, bridle.path_of(p_hold.run_id, p_hold.task_id),
      bridle.minus('{0,0,0}', p_hold.amounts), '{0,0,0}');
  else
    update bridle.envelope set reserved = bridle.minus(reserved, p_hold.amounts)
      where run_id = p_hold.run_id and name in ('run', p_hold.task_id);
  end if;
  perform bridle.append_ledger_entry(p_head, 'budget.released', p_at,
    bridle.hold_fields(p_hold) || jsonb_build_object('reason', p_reason));
  perform bridle.return_rest(p_hold.run_id, p_at);
end $$;

-- As in 0013; what was carved for it and is not spent can be spent above it from then on.
create or replace function bridle.close_locked(p_head bridle.run_head, p_envelope text, p_at double precision) returns void
language plpgsql as $$
declare
  v_own bridle.envelope;
  v_before bigint[];
begin
  if p_head.has_carved then
    select bridle.upward_of(e, e.reserved) into v_before
      from bridle.envelope e where e.run_id = p_head.run_id and e.name = p_envelope;
  end if;
  update bridle.envelope set closed = true
    where run_id = p_head.run_id and name = p_envelope and not closed returning * into v_own;
  if not found then return; end if;
  if v_own.is_carved then
    perform bridle.shift(p_head.run_id, (bridle.path_of(p_head.run_id, p_envelope))[2:],
      bridle.minus(bridle.upward_of(v_own, v_own.reserved), v_before), '{0,0,0}');
  end if;
  perform bridle.append_ledger_entry(p_head, 'budget.closed', p_at, jsonb_build_object('envelope', p_envelope));
  if p_envelope = 'run' then perform bridle.return_rest(p_head.run_id, p_at); end if;
end $$;

-- As in 0009; a carved envelope is raised out of the one above it, by as much as that one can set aside.
create or replace function bridle.raise_envelope(p_run text, p_envelope text, p_by bigint[], p_at double precision)
returns setof bridle.envelope language plpgsql as $$
declare
  v_head bridle.run_head;
  v_envelope bridle.envelope;
  v_by bigint[] := p_by;
begin
  v_head := bridle.lock_head(p_run);
  select * into v_envelope from bridle.envelope e where e.run_id = p_run and e.name = p_envelope;
  if v_envelope.run_id is null then return; end if;
  if v_envelope.is_carved then
    v_by := bridle.within_room(p_by, bridle.room_along(p_run, (bridle.path_of(p_run, p_envelope))[2:], p_at));
  end if;
  perform bridle.grow(p_run, p_envelope, bridle.plus(v_envelope.limits, v_by), p_at);
  update bridle.envelope
    set tripped_by = case when tripped_by is null then null else bridle.over_line(settled, limits) end
    where run_id = p_run and name = p_envelope returning * into v_envelope;
  perform bridle.append_ledger_entry(v_head, 'budget.raised', p_at, jsonb_build_object(
    'envelope', p_envelope, 'raisedBy', bridle.wire(v_by), 'limit', bridle.wire(v_envelope.limits)));
  return next v_envelope;
end $$;

-- As in 0004, and at every level: whatever is carved from a closed envelope is closed.
create or replace function bridle.is_closed(p_run text, p_task text) returns boolean
language sql stable as $$
  select exists (select from bridle.envelope where run_id = p_run and name in ('run', p_task) and closed)
    or (select h.has_carved from bridle.run_head h where h.run_id = p_run)
      and exists (select from bridle.envelope where run_id = p_run and name = any(bridle.path_of(p_run, p_task)) and closed)
$$;

drop function bridle.commit_with_openings(
  json, text, text, bigint, int, text[], bigint[], text, boolean, text[], text[], text[], double precision[], text[], json, text[], text[],
  int[], text[], text, text, double precision);
drop function bridle.commit_decisions(
  text, text, bigint, int, text[], bigint[], text, boolean, text[], text[], text[], double precision[], text[], json, text[], text[],
  int[], text[], text, text, double precision);

-- As in 0003. p_answers: [{ "taskId", key, body }].
create function bridle.commit_decisions(
  p_run text, p_lease text, p_epoch bigint, p_expected int, p_events text[], p_consumed bigint[],
  p_status text, p_is_terminal boolean,
  p_input_tasks text[], p_input_bodies text[],
  p_timer_keys text[], p_timer_ats double precision[], p_timers_cleared text[],
  p_envelopes json, p_closed text[], p_stop_tasks text[], p_stop_attempts int[], p_stop_reasons text[],
  p_output text, p_snapshot text, p_at double precision, p_answers json,
  out refusal text, out seq bigint, out decisions int
) language plpgsql as $$
declare
  v_head bridle.run_head;
  v_name text;
begin
  v_head := bridle.lock_head(p_run);
  if v_head.run_id is null then refusal := 'unknown_run'; return; end if;
  -- Shared: the lease cannot change hands before this commit, while other commits under it go on.
  perform from bridle.lease l where l.name = p_lease and l.epoch = p_epoch and l.holder is not null for share;
  if not found then refusal := 'lease'; return; end if;
  if v_head.decisions <> p_expected or v_head.ended then refusal := 'version'; return; end if;

  delete from bridle.inbox where id = any(p_consumed);
  insert into bridle.task_input as i (run_id, task_id, body)
    select distinct on (task_id) p_run, task_id, body
    from unnest(p_input_tasks, p_input_bodies) with ordinality as given (task_id, body, n)
    order by task_id, n desc
    on conflict (run_id, task_id) do update set body = excluded.body;
  delete from bridle.timer t where t.run_id = p_run and t.key = any(p_timers_cleared);
  insert into bridle.timer as t (run_id, key, at)
    select distinct on (key) p_run, key, at
    from unnest(p_timer_keys, p_timer_ats) with ordinality as given (key, at, n)
    order by key, n desc
    on conflict (run_id, key) do update set at = excluded.at;
  perform bridle.open_envelopes(p_run, p_envelopes, p_at);
  -- What was carved a moment ago is known from here on.
  v_head := bridle.lock_head(p_run);
  insert into bridle.answer (run_id, task_id, key, body)
    select p_run, "taskId", key, body from json_to_recordset(p_answers) as given ("taskId" text, key text, body text)
    on conflict do nothing;
  -- Before the decisions, so that `budget.closed` does not follow a `run.finished` of the same commit.
  foreach v_name in array p_closed loop
    perform bridle.close_locked(v_head, v_name, p_at);
  end loop;
  if p_is_terminal and not ('run' = any(p_closed)) then
    perform bridle.close_locked(v_head, 'run', p_at);
  end if;
  insert into bridle.stop_order as s (run_id, task_id, attempt, reason)
    select distinct on (task_id, attempt) p_run, task_id, attempt, reason
    from unnest(p_stop_tasks, p_stop_attempts, p_stop_reasons) with ordinality as given (task_id, attempt, reason, n)
    order by task_id, attempt, n desc
    on conflict (run_id, task_id, attempt) do update set reason = excluded.reason;

  seq := bridle.append_entries(p_run, p_events, true);
  update bridle.run_head h set decisions = h.decisions + cardinality(p_events), ended = h.ended or p_is_terminal
    where h.run_id = p_run returning h.decisions into decisions;
  update bridle.run r set updated_at = p_at, status = coalesce(p_status, r.status), ended = r.ended or p_is_terminal
    where r.run_id = p_run;
  if p_output is not null then update bridle.run_body b set output = p_output where b.run_id = p_run; end if;
  if p_snapshot is not null then
    insert into bridle.run_snapshot as s values (p_run, decisions, seq, p_snapshot)
      on conflict (run_id) do update set decisions = excluded.decisions, seq = excluded.seq, state = excluded.state;
  end if;
  if p_is_terminal then delete from bridle.timer t where t.run_id = p_run; end if;
end $$;

-- As in 0010.
create function bridle.commit_with_openings(
  p_openings json,
  p_run text, p_lease text, p_epoch bigint, p_expected int, p_events text[], p_consumed bigint[],
  p_status text, p_is_terminal boolean,
  p_input_tasks text[], p_input_bodies text[],
  p_timer_keys text[], p_timer_ats double precision[], p_timers_cleared text[],
  p_envelopes json, p_closed text[], p_stop_tasks text[], p_stop_attempts int[], p_stop_reasons text[],
  p_output text, p_snapshot text, p_at double precision, p_answers json,
  out refusal text, out seq bigint, out decisions int
) language plpgsql as $$
declare
  v_head bridle.run_head;
  v_opening record;
  v_refusal text;
begin
  begin
    -- The run's mutex first, as everywhere.
    v_head := bridle.lock_head(p_run);
    if v_head.run_id is null then refusal := 'unknown_run'; return; end if;
    perform bridle.open_envelopes(p_run, p_envelopes, p_at);
    for v_opening in select * from json_to_recordset(p_openings) as given
      ("taskId" text, "holdId" text, tokens bigint, "nanoUsd" bigint, calls bigint)
    loop
      select r.refusal into v_refusal from bridle.reserve(p_run, v_opening."taskId", 1, v_opening."holdId", 0,
        array[v_opening.tokens, v_opening."nanoUsd", v_opening.calls], 'ladder', p_at) r;
      if v_refusal is not null then
        refusal := 'opening_refused';
        raise exception 'opening refused' using errcode = 'BRN03';
      end if;
    end loop;
    select c.refusal, c.seq, c.decisions into refusal, seq, decisions
      from bridle.commit_decisions(p_run, p_lease, p_epoch, p_expected, p_events, p_consumed, p_status, p_is_terminal,
        p_input_tasks, p_input_bodies, p_timer_keys, p_timer_ats, p_timers_cleared, p_envelopes, p_closed,
        p_stop_tasks, p_stop_attempts, p_stop_reasons, p_output, p_snapshot, p_at, p_answers) c;
    if refusal is not null then raise exception 'commit refused' using errcode = 'BRN03'; end if;
  exception when sqlstate 'BRN03' then
    -- What was written above is undone; the variables keep their values.
    seq := null;
    decisions := null;
  end;
end $$;

-- As in 0014; what carved envelopes pay for is done move by move.
create or replace function bridle.ledger_moves(
  p_run text, p_names text[], p_tasks text[], p_attempts int[], p_holds text[], p_steps int[],
  p_tokens bigint[], p_nano_usd bigint[], p_calls bigint[], p_notes text[], p_at double precision[]
) returns json language plpgsql as $$
declare
  v_head bridle.run_head;
  v_answers json;
  v_each json[] := '{}';
  v_amounts bigint[];
begin
  -- The statement of `lock_head` itself: a function in SQL is planned anew at each call.
  select * into v_head from bridle.run_head where run_id = p_run for update;
  if not v_head.has_carved
    or not exists (select from bridle.envelope e where e.run_id = p_run and e.name = any(p_tasks) and e.is_carved) then
    v_answers := bridle.moves_as_a_set(
      v_head, p_names, p_tasks, p_attempts, p_holds, p_steps, p_tokens, p_nano_usd, p_calls, p_notes, p_at);
  end if;
  if v_answers is not null then return v_answers; end if;
  for i in 1 .. cardinality(p_names) loop
    v_amounts := case when p_tokens[i] is not null then array[p_tokens[i], p_nano_usd[i], p_calls[i]] end;
    v_each := v_each || case p_names[i]
      when 'reserve' then (select row_to_json(answer) from bridle.reserve(
        p_run, p_tasks[i], p_attempts[i], p_holds[i], p_steps[i], v_amounts, p_notes[i], p_at[i]) answer)
      when 'dispatch' then json_build_object('dispatch', bridle.dispatch(p_run, p_tasks[i], p_attempts[i], p_holds[i]))
      when 'end_hold' then (select row_to_json(answer) from bridle.end_hold(
        p_run, p_tasks[i], p_attempts[i], p_holds[i], v_amounts, p_notes[i], p_at[i]) answer)
      end;
  end loop;
  return array_to_json(v_each);
end $$;
