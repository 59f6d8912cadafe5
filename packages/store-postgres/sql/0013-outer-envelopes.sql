-- Envelopes over many runs: an API key's day, the installation's day. The rules and every answer are those of
-- packages/budget/src/outer-envelope.ts: change them together.
--
-- 1. A run's head is locked before an outer row, several heads before the first outer row, and outer rows in the order in which the
--    run names them: so no two operations ever wait for each other.
-- 2. What a day has given is the sum of the blocks that runs hold of it.
-- 3. Only a run that is short of money, has overspent what it was given, or is over touches an outer row. Everything else reads and
--    writes rows of its run.

create table bridle.outer_envelope (
  scope text collate "C" primary key,
  limits bigint[] not null,
  -- Days since 1970 in UTC. Only goes on.
  day int not null,
  given bigint[] not null default '{0,0,0}'
) with (fillfactor = 50);

-- Of a run's own envelope: the scopes above it, what it was given by them (2^53-1 where none of them has a limit), and its part of the
-- latest day that gave it anything.
alter table bridle.envelope
  add column above text[] not null default '{}',
  add column granted bigint[] not null default '{9007199254740991,9007199254740991,9007199254740991}',
  add column block_day int,
  add column block bigint[] not null default '{0,0,0}';
create index envelope_by_block on bridle.envelope (block_day) where block_day is not null;

create function bridle.day_of(p_at double precision) returns int
language sql immutable parallel safe as $$
  select floor(p_at / 86400000)::int
$$;

create function bridle.smaller(a bigint[], b bigint[]) returns bigint[]
language sql immutable parallel safe as $$
  select array[least(a[1], b[1]), least(a[2], b[2]), least(a[3], b[3])]
$$;

create function bridle.excess(a bigint[], b bigint[]) returns bigint[]
language sql immutable parallel safe as $$
  select array[greatest(0, a[1] - b[1]), greatest(0, a[2] - b[2]), greatest(0, a[3] - b[3])]
$$;

-- What an outer envelope has left on a day; 2^53-1 where it has no limit.
create function bridle.outer_left(p_outer bridle.outer_envelope, p_day int) returns bigint[]
language sql immutable parallel safe as $$
  select array_agg(case when l = 9007199254740991 then l
    else greatest(0, l - case when p_outer.day < p_day then 0 else g end) end order by n)
  from unnest(p_outer.limits, p_outer.given) with ordinality as pair (l, g, n)
$$;

-- What all levels above a run could give it yet, as of the last time one gave.
create function bridle.above_left(p_above text[]) returns bigint[]
language sql stable as $$
  select array[min(l[1]), min(l[2]), min(l[3])]
  from (
    select bridle.outer_left(o, max(o.day) over ()) as l from bridle.outer_envelope o where o.scope = any(p_above)
  ) lefts
$$;

-- Locks the rows above a run in their order. The day all of them are in, a later one than p_at says where a clock went back.
create function bridle.lock_outer(p_above text[], p_at double precision) returns int
language plpgsql as $$
declare
  v_scope text;
  v_day int := bridle.day_of(p_at);
  v_own int;
begin
  foreach v_scope in array p_above loop
    select o.day into v_own from bridle.outer_envelope o where o.scope = v_scope for update;
    v_day := greatest(v_day, v_own);
  end loop;
  return v_day;
end $$;

-- Contract: the caller holds the run's head and the rows above it.
create function bridle.give(p_run text, p_above text[], p_amount bigint[], p_day int) returns void
language sql as $$
  update bridle.outer_envelope
    set given = bridle.plus(case when day < p_day then '{0,0,0}' else given end, p_amount), day = p_day
    where scope = any(p_above);
  update bridle.envelope
    set granted = bridle.plus(granted, p_amount),
        block = case when block_day = p_day then bridle.plus(block, p_amount) else p_amount end,
        block_day = p_day
    where run_id = p_run and name = 'run'
$$;

-- The first level that has less left than that, with what it has given on the day; nulls when all have enough.
create function bridle.outer_short(
  p_above text[], p_day int, p_need bigint[],
  out scope text, out dimension text, out given bigint[], out limits bigint[]
) language plpgsql stable as $$
declare
  v_scope text;
  v_outer bridle.outer_envelope;
  v_left bigint[];
begin
  foreach v_scope in array p_above loop
    select * into v_outer from bridle.outer_envelope o where o.scope = v_scope;
    v_left := bridle.outer_left(v_outer, p_day);
    for d in 1..3 loop
      continue when p_need[d] <= v_left[d];
      scope := v_scope;
      dimension := bridle.dimension_name(d);
      given := case when v_outer.day < p_day then '{0,0,0}' else v_outer.given end;
      limits := v_outer.limits;
      return;
    end loop;
  end loop;
end $$;

-- Takes from above what the run is short of for p_amounts. `scope` null: it has enough now. Otherwise the level that has too little,
-- and nothing has changed. Contract: the caller holds the run's head, and the run's own levels admit the amounts.
create function bridle.carve(
  p_envelope bridle.envelope, p_amounts bigint[], p_at double precision,
  out scope text, out refusal text, out dimension text, out given bigint[], out limits bigint[]
) language plpgsql as $$
declare
  v_need bigint[] := bridle.excess(bridle.plus(bridle.plus(p_envelope.settled, p_envelope.reserved), p_amounts), p_envelope.granted);
  v_later bigint[] := bridle.excess(bridle.plus(p_envelope.settled, p_amounts), p_envelope.granted);
  v_rest bigint[] := bridle.excess(p_envelope.limits, p_envelope.granted);
  v_block bigint[] := '{50000,9007199254740991,9007199254740991}';
  v_outer bridle.outer_envelope;
  v_left bigint[];
  v_day int;
begin
  -- A call that costs none of something needs none of it, however little the run has.
  for d in 1..3 loop
    if p_amounts[d] = 0 then
      v_need[d] := 0;
      v_later[d] := 0;
    end if;
  end loop;
  if v_need = '{0,0,0}' then return; end if;
  v_day := bridle.lock_outer(p_envelope.above, p_at);
  select s.scope, s.dimension, s.given, s.limits into scope, dimension, given, limits
    from bridle.outer_short(p_envelope.above, v_day, v_need) s;
  if scope is not null then
    refusal := case
      when (select s.scope from bridle.outer_short(p_envelope.above, v_day, v_later) s) is null then 'transient'
      else 'tripped' end;
    return;
  end if;
  for v_outer in select * from bridle.outer_envelope o where o.scope = any(p_envelope.above) loop
    v_left := bridle.outer_left(v_outer, v_day);
    for d in 1..3 loop
      v_block[d] := least(v_block[d], v_left[d], greatest(v_left[d] / 20, v_outer.limits[d] / 400));
    end loop;
  end loop;
  for d in 1..3 loop
    v_block[d] := case when v_need[d] = 0 then 0 else greatest(v_need[d], least(v_block[d], v_rest[d])) end;
  end loop;
  perform bridle.give(p_envelope.run_id, p_envelope.above, v_block, v_day);
end $$;

-- Gives back what a run was given and can spend no more: once its envelope is closed and no hold is open. Harmless at any other time.
-- Contract: the caller holds the run's head.
create function bridle.return_rest(p_run text, p_at double precision) returns void
language plpgsql as $$
declare
  v_run bridle.envelope;
  v_back bigint[];
begin
  select * into v_run from bridle.envelope e where e.run_id = p_run and e.name = 'run';
  if not v_run.closed or v_run.block_day is null or v_run.block = '{0,0,0}' then return; end if;
  if exists (select from bridle.hold h where h.run_id = p_run and h.is_open) then return; end if;
  v_back := bridle.smaller(bridle.excess(v_run.granted, v_run.settled), v_run.block);
  if v_back = '{0,0,0}' then return; end if;
  perform bridle.lock_outer(v_run.above, p_at);
  update bridle.envelope e set granted = bridle.minus(e.granted, v_back), block = bridle.minus(e.block, v_back)
    where e.run_id = p_run and e.name = 'run';
  update bridle.outer_envelope o set given = bridle.minus(o.given, v_back)
    where o.scope = any(v_run.above) and o.day = v_run.block_day;
end $$;

-- As in 0002, and: what the run's levels admit and its grant does not is carved from above, or refused by the level above.
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
  envelope := coalesce(v_level.name, p_task);
  settled := v_level.settled;
  reserved := v_level.reserved;
  limits := v_level.limits;
  if refusal is null and v_run.above <> '{}' then
    v_above := bridle.carve(v_run, p_amounts, p_at);
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
  update bridle.envelope e set reserved = bridle.plus(e.reserved, p_amounts)
    where e.run_id = p_run and e.name in ('run', p_task);
  insert into bridle.hold (run_id, hold_id, task_id, attempt, step, amounts, status, renewed_at)
    values (p_run, p_hold, p_task, p_attempt, p_step, p_amounts, 'held', p_at) returning * into v_known;
  perform bridle.append_ledger_entry(v_head, 'budget.reserved', p_at, bridle.hold_fields(v_known));
end $$;

-- Contract: the caller holds the run's head. What the run has spent beyond what it was given is charged above it in full.
create function bridle.charge_excess(p_run text, p_at double precision) returns void
language plpgsql as $$
declare
  v_run bridle.envelope;
  v_excess bigint[];
  v_day int;
begin
  select * into v_run from bridle.envelope e where e.run_id = p_run and e.name = 'run';
  v_excess := bridle.excess(v_run.settled, v_run.granted);
  if v_excess = '{0,0,0}' then return; end if;
  v_day := bridle.lock_outer(v_run.above, p_at);
  perform bridle.give(p_run, v_run.above, v_excess, v_day);
end $$;

-- As in 0009, and with what the levels above are charged or given back.
create or replace function bridle.charge(
  p_head bridle.run_head, p_hold bridle.hold, p_actual bigint[], p_basis text, p_status text, p_at double precision
) returns boolean language plpgsql as $$
declare
  v_overrun boolean := p_actual[1] > p_hold.amounts[1] or p_actual[2] > p_hold.amounts[2] or p_actual[3] > p_hold.amounts[3];
  v_fields jsonb := bridle.hold_fields(p_hold) || jsonb_build_object('actual', bridle.wire(p_actual));
  v_level record;
begin
  update bridle.hold set is_open = false, status = p_status, charged = p_actual, overrun = v_overrun, basis = p_basis,
      charged_at = p_at
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
  update bridle.envelope set reserved = bridle.minus(reserved, p_hold.amounts)
    where run_id = p_hold.run_id and name in ('run', p_hold.task_id);
  perform bridle.append_ledger_entry(p_head, 'budget.released', p_at,
    bridle.hold_fields(p_hold) || jsonb_build_object('reason', p_reason));
  perform bridle.return_rest(p_hold.run_id, p_at);
end $$;

create or replace function bridle.close_locked(p_head bridle.run_head, p_envelope text, p_at double precision) returns void
language plpgsql as $$
begin
  update bridle.envelope set closed = true where run_id = p_head.run_id and name = p_envelope and not closed;
  if found then
    perform bridle.append_ledger_entry(p_head, 'budget.closed', p_at, jsonb_build_object('envelope', p_envelope));
    if p_envelope = 'run' then perform bridle.return_rest(p_head.run_id, p_at); end if;
  end if;
end $$;

create or replace function bridle.expire_holds(p_older_than double precision, p_at double precision) returns int
language plpgsql as $$
declare
  v_run text;
  v_runs text[];
  v_head bridle.run_head;
  v_hold bridle.hold;
  v_count int := 0;
begin
  -- All heads first, in the order of their ids: two of these never wait for each other, and nobody who holds a head waits for an outer
  -- row that is held by one who waits for that head.
  v_runs := array(select distinct run_id from bridle.hold where is_open and renewed_at < p_older_than order by run_id);
  foreach v_run in array v_runs loop
    perform bridle.lock_head(v_run);
  end loop;
  foreach v_run in array v_runs loop
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

-- The first level above that has not even a least block left today, or as much as the run may spend at most if that is less.
create function bridle.refuses_run(
  p_above text[], p_limits bigint[], p_at double precision,
  out scope text, out dimension text, out given bigint[], out limits bigint[]
) language plpgsql stable as $$
declare
  v_day int := greatest(bridle.day_of(p_at), (select max(o.day) from bridle.outer_envelope o where o.scope = any(p_above)));
  v_scope text;
begin
  foreach v_scope in array p_above loop
    select s.scope, s.dimension, s.given, s.limits into scope, dimension, given, limits
      from bridle.outer_envelope o,
        bridle.outer_short(array[v_scope], v_day, (
          select array_agg(case when l = 9007199254740991 then 0 else least(own, greatest(1, l / 400)) end order by n)
          from unnest(o.limits, p_limits) with ordinality as pair (l, own, n))) s
      where o.scope = v_scope;
    if scope is not null then return; end if;
  end loop;
end $$;

-- As in 0003, and below outer envelopes. p_outer: [{ "scope", tokens, "nanoUsd", calls }], each with the limit it has from now on. A run
-- that begins takes nothing yet, so the rows above are read and not locked.
drop function bridle.submit(text, text, text, int, text, text, bigint[], text, text, text, text, double precision, text, double precision);

create function bridle.submit(
  p_run text, p_trace text, p_workflow text, p_version int, p_compiled text, p_input text,
  p_limits bigint[], p_credit_mode text, p_on_trip text,
  p_key text, p_hash text, p_expires_at double precision, p_event text, p_at double precision, p_outer json,
  out outcome text, out run_id text, out trace_id text,
  out scope text, out dimension text, out given bigint[], out limits bigint[]
) language plpgsql as $$
declare
  v_hash text;
  v_above text[];
  v_granted bigint[];
begin
  if p_key is not null then
    -- Two submits with one key at once: the second waits, and then finds the first.
    perform pg_advisory_xact_lock(7228844, hashtext(p_key));
    select i.body_hash, i.run_id, r.trace_id into v_hash, run_id, trace_id
      from bridle.idempotency i join bridle.run r on r.run_id = i.run_id
      where i.key = p_key and i.expires_at > p_at;
    if found then
      outcome := case when v_hash = p_hash then 'same' else 'conflict' end;
      return;
    end if;
  end if;
  select b.body_hash, r.run_id, r.trace_id into v_hash, run_id, trace_id
    from bridle.run r join bridle.run_body b on b.run_id = r.run_id where r.run_id = p_run;
  if found then
    outcome := case when v_hash is not distinct from p_hash then 'same' else 'conflict' end;
    return;
  end if;
  select coalesce(array_agg(value ->> 'scope' order by n), '{}') into v_above
    from json_array_elements(p_outer) with ordinality as told (value, n);
  if v_above <> '{}' then
    insert into bridle.outer_envelope as o (scope, limits, day)
      select t.scope, array[t.tokens, t."nanoUsd", t.calls], bridle.day_of(p_at)
      from json_to_recordset(p_outer) as t (scope text, tokens bigint, "nanoUsd" bigint, calls bigint)
      where not exists (select from bridle.outer_envelope known
        where known.scope = t.scope and known.limits = array[t.tokens, t."nanoUsd", t.calls])
      order by array_position(v_above, t.scope)
      on conflict on constraint outer_envelope_pkey do update set limits = excluded.limits;
    select r.scope, r.dimension, r.given, r.limits into scope, dimension, given, limits
      from bridle.refuses_run(v_above, p_limits, p_at) r;
    if scope is not null then
      outcome := 'day_spent';
      return;
    end if;
  end if;
  select array_agg(case when bool_and_unlimited then 9007199254740991 else 0 end order by d) into v_granted
    from (
      select d, coalesce(bool_and(o.limits[d] = 9007199254740991), true) as bool_and_unlimited
      from generate_series(1, 3) d left join bridle.outer_envelope o on o.scope = any(v_above) group by d
    ) each_dimension;
  insert into bridle.run as r (run_id, trace_id, workflow, version, status, created_at, updated_at)
    values (p_run, p_trace, p_workflow, p_version, 'QUEUED', p_at, p_at) on conflict do nothing;
  if not found then
    -- The same run submitted twice at once: the other one came first.
    select b.body_hash, r.run_id, r.trace_id into v_hash, run_id, trace_id
      from bridle.run r join bridle.run_body b on b.run_id = r.run_id where r.run_id = p_run;
    outcome := case when v_hash is not distinct from p_hash then 'same' else 'conflict' end;
    return;
  end if;
  insert into bridle.run_head (run_id, trace_id, decisions) values (p_run, p_trace, 1);
  insert into bridle.run_body (run_id, compiled, input, body_hash) values (p_run, p_compiled, p_input, p_hash);
  insert into bridle.envelope (run_id, name, limits, credit_mode, on_trip, above, granted)
    values (p_run, 'run', p_limits, p_credit_mode, p_on_trip, v_above, v_granted);
  perform bridle.append_entries(p_run, array[p_event], true);
  if p_key is not null then
    insert into bridle.idempotency as i values (p_key, p_hash, p_run, p_expires_at)
      on conflict (key) do update set body_hash = excluded.body_hash, run_id = excluded.run_id,
        expires_at = excluded.expires_at;
  end if;
  outcome := 'created';
  run_id := p_run;
  trace_id := p_trace;
end $$;

-- Every outer envelope as the day of p_at stands.
create function bridle.outer_envelopes(p_at double precision)
returns table (scope text, limits bigint[], day int, given bigint[], spent bigint[])
language sql stable as $$
  with present as (
    select o.scope, o.limits, greatest(o.day, bridle.day_of(p_at)) as day,
      case when o.day < bridle.day_of(p_at) then '{0,0,0}' else o.given end as given
    from bridle.outer_envelope o
  ), unspent as (
    select p.scope, array[sum(u.rest[1])::bigint, sum(u.rest[2])::bigint, sum(u.rest[3])::bigint] as rest
    from present p join bridle.envelope e on e.block_day = p.day and p.scope = any(e.above),
      lateral (select bridle.smaller(bridle.excess(e.granted, e.settled), e.block) as rest) u
    group by p.scope
  )
  select p.scope, p.limits, p.day, p.given, bridle.minus(p.given, coalesce(u.rest, '{0,0,0}'))
  from present p left join unspent u using (scope) order by p.scope
$$;
