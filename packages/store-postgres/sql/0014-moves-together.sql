-- Several moves of one run's ledger in one statement, as before: one lock, one commit. New: a batch in which nothing can be refused and
-- nothing can trip is written as one set of rows; every other batch is done move by move by the functions of 0002 and 0013.
--
-- 1. The answers, the rows and the log's entries are those of the same moves one by one, in the order given.
-- 2. A set is written only if every envelope that it touches could pay for all its reservations on top of all that it holds already,
--    with every overrun of the batch, and is after all its charges below the line at which it trips. Sums only grow towards that
--    bound, so no order of the moves could have been refused, have tripped, or have needed money from above.
-- 3. No hold has two moves in a set: each row is written at most once.

-- The moves as columns, n from 1. `amounts`: of a reservation what it sets aside, of an ending what it cost (null: a release).
create function bridle.moves(
  p_names text[], p_tasks text[], p_attempts int[], p_holds text[], p_steps int[],
  p_tokens bigint[], p_nano_usd bigint[], p_calls bigint[], p_notes text[], p_at double precision[]
) returns table (
  name text, task_id text, attempt int, hold_id text, step int, tokens bigint, nano_usd bigint, calls bigint,
  note text, at double precision, n bigint
) language sql immutable as $$
  select * from unnest(p_names, p_tasks, p_attempts, p_holds, p_steps, p_tokens, p_nano_usd, p_calls, p_notes, p_at) with ordinality
$$;

-- One dimension of a level takes all of a batch without a word. p_new: reservations; p_over: charges beyond what was set aside.
create function bridle.has_room(
  p_envelope bridle.envelope, d int, p_new bigint, p_over bigint, p_charged bigint
) returns boolean language sql immutable as $$
  select (p_new = 0 or p_envelope.settled[d] + p_envelope.reserved[d] + p_new + p_over <= least(p_envelope.granted[d],
      case p_envelope.credit_mode when 'strict' then p_envelope.limits[d] * 90 / 100 else p_envelope.limits[d] end))
    and p_envelope.settled[d] + p_charged <= p_envelope.granted[d]
    and (p_envelope.settled[d] + p_charged = 0
      or p_envelope.settled[d] + p_charged < (p_envelope.limits[d] * 90 + 99) / 100)
$$;

-- The answers in order, or null, and then nothing has changed. Contract: the caller holds the run's head.
-- The settings, and keys that come from the rows of the batch where a constant would do: each row is found by its whole key. What the
-- planner knows of a table that was empty a moment ago is wrong.
create function bridle.moves_as_a_set(
  p_head bridle.run_head, p_names text[], p_tasks text[], p_attempts int[], p_holds text[], p_steps int[],
  p_tokens bigint[], p_nano_usd bigint[], p_calls bigint[], p_notes text[], p_at double precision[]
) returns json language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
  set enable_memoize = off set jit = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_named text := ', "runId": ' || to_json(p_head.run_id) || ', "traceId": ' || to_json(p_head.trace_id);
  v_answers json;
begin
  with given as materialized (
    select m.*, m.name = 'reserve' as is_new, h.hold_id is not null as is_known,
      m.name <> 'reserve' and h.task_id = m.task_id and h.attempt = m.attempt and h.is_open as is_of_open,
      m.name <> 'reserve' and h.task_id = m.task_id and h.attempt = m.attempt and not h.is_open as is_of_ended,
      h.amounts, h.charged, h.overrun, h.basis, coalesce(m.step, h.step) as its_step,
      case when m.tokens is not null then array[m.tokens, m.nano_usd, m.calls]
        when h.status = 'dispatched' then h.amounts end as cost,
      m.name <> 'end_hold' and coalesce(m.attempt < t.fence or m.attempt <= t.ended_attempt, false) as is_fenced
    from bridle.moves(p_names, p_tasks, p_attempts, p_holds, p_steps, p_tokens, p_nano_usd, p_calls, p_notes, p_at) m
      left join bridle.hold h on h.run_id = p_head.run_id and h.hold_id = m.hold_id
      left join bridle.task t on m.name <> 'end_hold' and t.run_id = p_head.run_id and t.task_id = m.task_id
  ), move as materialized (
    select p_head.run_id, g.n, g.name, g.task_id, g.attempt, g.hold_id, g.its_step, g.note, g.at, g.cost,
      g.is_new, g.is_known, g.is_fenced, g.is_of_open,
      coalesce(g.name = 'end_hold' and g.is_of_open, false) as is_ending,
      coalesce(g.name = 'dispatch' and g.is_of_open, false) as is_leaving,
      case when g.is_new then g.cost else g.amounts end as held,
      case when g.is_of_ended then g.charged else g.cost end as charged,
      case when g.is_of_ended then g.overrun
        else g.cost[1] > g.amounts[1] or g.cost[2] > g.amounts[2] or g.cost[3] > g.amounts[3] end as overrun,
      case when g.is_of_ended then g.basis when g.tokens is null then 'unknown' else g.note end as basis,
      g.is_of_open or g.is_of_ended as is_answered
    from given g
  ), effect as (
    select task_id,
      case when is_new then held[1] else 0 end as new_1, case when is_new then held[2] else 0 end as new_2,
      case when is_new then held[3] else 0 end as new_3,
      case when is_ending then held[1] else 0 end as back_1, case when is_ending then held[2] else 0 end as back_2,
      case when is_ending then held[3] else 0 end as back_3,
      case when is_ending then coalesce(cost[1], 0) else 0 end as charged_1,
      case when is_ending then coalesce(cost[2], 0) else 0 end as charged_2,
      case when is_ending then coalesce(cost[3], 0) else 0 end as charged_3
    from move
  ), level as materialized (
    select p_head.run_id, coalesce(task_id, 'run') as name,
      sum(new_1)::bigint as new_1, sum(new_2)::bigint as new_2, sum(new_3)::bigint as new_3,
      sum(back_1)::bigint as back_1, sum(back_2)::bigint as back_2, sum(back_3)::bigint as back_3,
      sum(charged_1)::bigint as charged_1, sum(charged_2)::bigint as charged_2, sum(charged_3)::bigint as charged_3,
      sum(greatest(0, charged_1 - back_1))::bigint as over_1, sum(greatest(0, charged_2 - back_2))::bigint as over_2,
      sum(greatest(0, charged_3 - back_3))::bigint as over_3
    from effect group by grouping sets ((task_id), ())
  ), verdict as materialized (
    select not p_head.ended
      and (select count(distinct hold_id) = count(*) and not bool_or(is_fenced or is_new and is_known or task_id = 'run') from move)
      and bool_and(e.run_id is not null and not e.closed and e.frozen_by = '{}' and e.tripped_by is null
        and bridle.has_room(e, 1, l.new_1, l.over_1, l.charged_1) and bridle.has_room(e, 2, l.new_2, l.over_2, l.charged_2)
        and bridle.has_room(e, 3, l.new_3, l.over_3, l.charged_3)) as is_plain
    from level l left join bridle.envelope e on e.run_id = l.run_id and e.name = l.name
  ), envelopes_written as (
    update bridle.envelope e
      set reserved = array[e.reserved[1] + l.new_1 - l.back_1, e.reserved[2] + l.new_2 - l.back_2, e.reserved[3] + l.new_3 - l.back_3],
          settled = array[e.settled[1] + l.charged_1, e.settled[2] + l.charged_2, e.settled[3] + l.charged_3]
      from level l where (select is_plain from verdict) and e.run_id = l.run_id and e.name = l.name
  ), holds_written as (
    update bridle.hold h
      set is_open = m.is_leaving,
          status = case when m.is_leaving then 'dispatched' when m.cost is null then 'released' else 'settled' end,
          charged = case when m.is_ending then m.cost end, overrun = case when m.is_ending then m.overrun end,
          basis = case when m.is_ending and m.cost is not null then m.basis end,
          charged_at = case when m.is_ending and m.cost is not null then m.at end
      from move m where (select is_plain from verdict) and m.is_of_open and h.run_id = m.run_id and h.hold_id = m.hold_id
  ), holds_added as (
    insert into bridle.hold (run_id, hold_id, task_id, attempt, step, amounts, status, renewed_at)
      select p_head.run_id, hold_id, task_id, attempt, its_step, held, 'held', at from move
      where (select is_plain from verdict) and is_new order by n
  ), line as (
    -- Written as text, in the fields of 0002's `hold_fields`: building `jsonb` costs several times as much.
    select n, is_new, is_ending, overrun, cost, basis,
      format('", "at": %s%s, "taskId": %s, "attempt": %s, "step": %s, "holdId": %s, "amounts": {"tokens": "%s", "nanoUsd": "%s", "calls": "%s"}',
        at, v_named, to_json(task_id), attempt, its_step, to_json(hold_id), held[1], held[2], held[3]) as fields,
      format(', "actual": {"tokens": "%s", "nanoUsd": "%s", "calls": "%s"}', cost[1], cost[2], cost[3]) as actual
    from move where is_new or is_ending
  ), entry as materialized (
    select row_number() over (order by n, place) as place, event
    from (
      select n, 1 as place, case
        when is_new then '{"type": "budget.reserved' || fields || '}'
        when cost is null then '{"type": "budget.released' || fields || ', "reason": "undispatched"}'
        else '{"type": "budget.settled' || fields || actual || ', "basis": ' || to_json(basis) || '}' end as event
      from line
      union all
      select n, 2, '{"type": "budget.overrun' || fields || actual || '}' from line where is_ending and overrun
    ) each_one
  ), head_written as (
    update bridle.run_head set seq = seq + (select count(*) from entry)
      where (select is_plain from verdict) and run_id = p_head.run_id
  ), entries_added as (
    insert into bridle.entry (run_id, seq, is_decision, event)
      select p_head.run_id, p_head.seq + place, false, event from entry where (select is_plain from verdict)
  )
  select case when (select is_plain from verdict) then (
    select json_agg(case
      when is_new then '{"refusal":null}'::json
      when name = 'dispatch' then case when is_leaving then '{"dispatch":true}'::json else '{"dispatch":false}'::json end
      when is_answered and charged is null then '{"ending":"released"}'::json
      when is_answered then json_build_object('ending', 'settled', 'charged', charged, 'overrun', overrun, 'basis', basis)
      else '{"ending":null}'::json end order by n)
    from move) end into v_answers;
  return v_answers;
end $$;

-- The answers as the functions that the moves name would give them, in order.
create function bridle.ledger_moves(
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
  v_answers := bridle.moves_as_a_set(
    v_head, p_names, p_tasks, p_attempts, p_holds, p_steps, p_tokens, p_nano_usd, p_calls, p_notes, p_at);
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

drop function bridle.ledger_batch(text, json);
drop function bridle.amounts_of(json);

-- As in 0011. Most entries are moves that are never an alert, and looking through all of one for a pattern costs more than storing it:
-- their beginning is enough.
drop trigger entry_signal on bridle.entry;
create trigger entry_signal after insert on bridle.entry for each row
  when (not starts_with(new.event, '{"type": "budget.reserved"') and not starts_with(new.event, '{"type": "budget.settled"')
    and not starts_with(new.event, '{"type": "budget.released"')
    and new.event ~ '"type": ?"(run\.(paused|resumed|finished)|task\.(stalled|looping|timed_out|killed)|budget\.(overrun|exhausted|raised))"')
  execute function bridle.entry_signal();
