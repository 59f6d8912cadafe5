-- Submitting runs, committing decisions, journalling. See 0001 for the run's mutex.

create function bridle.submit(
  p_run text, p_trace text, p_workflow text, p_version int, p_compiled text, p_input text,
  p_limits bigint[], p_credit_mode text, p_on_trip text,
  p_key text, p_hash text, p_expires_at double precision, p_event text, p_at double precision,
  out outcome text, out run_id text, out trace_id text
) language plpgsql as $$
declare
  v_hash text;
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
  insert into bridle.run as r (run_id, trace_id, workflow, version, status, created_at, updated_at)
    values (p_run, p_trace, p_workflow, p_version, 'QUEUED', p_at, p_at) on conflict do nothing;
  if not found then
    select b.body_hash, r.run_id, r.trace_id into v_hash, run_id, trace_id
      from bridle.run r join bridle.run_body b on b.run_id = r.run_id where r.run_id = p_run;
    outcome := case when v_hash is not distinct from p_hash then 'same' else 'conflict' end;
    return;
  end if;
  insert into bridle.run_head (run_id, trace_id, decisions) values (p_run, p_trace, 1);
  insert into bridle.run_body (run_id, compiled, input, body_hash) values (p_run, p_compiled, p_input, p_hash);
  insert into bridle.envelope (run_id, name, limits, credit_mode, on_trip)
    values (p_run, 'run', p_limits, p_credit_mode, p_on_trip);
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

create function bridle.commit_decisions(
  p_run text, p_lease text, p_epoch bigint, p_expected int, p_events text[], p_consumed bigint[],
  p_status text, p_is_terminal boolean,
  p_input_tasks text[], p_input_bodies text[],
  p_timer_keys text[], p_timer_ats double precision[], p_timers_cleared text[],
  p_envelopes json, p_closed text[], p_stop_tasks text[], p_stop_attempts int[], p_stop_reasons text[],
  p_output text, p_snapshot text, p_at double precision,
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
  insert into bridle.envelope (run_id, name, limits, credit_mode, on_trip)
    select p_run, "taskId", array[tokens, "nanoUsd", calls], "creditMode", "onTrip"
    from json_to_recordset(p_envelopes) as given
      ("taskId" text, tokens bigint, "nanoUsd" bigint, calls bigint, "creditMode" text, "onTrip" text)
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

create function bridle.journal(p_run text, p_task text, p_attempt int, p_events text[]) returns boolean
language plpgsql as $$
declare
  v_head bridle.run_head;
begin
  v_head := bridle.lock_head(p_run);
  if v_head.run_id is null or v_head.ended then return false; end if;
  if exists (select from bridle.task where run_id = p_run and task_id = p_task and p_attempt < fence) then
    return false;
  end if;
  if cardinality(p_events) > 0 then perform bridle.append_entries(p_run, p_events, false); end if;
  return true;
end $$;

-- p_closes: the envelope that a `cancel` closes, or null.
create function bridle.put_inbox(p_run text, p_message text, p_closes text, p_at double precision) returns void
language plpgsql as $$
begin
  if p_closes is not null then perform bridle.close_envelope(p_run, p_closes, p_at); end if;
  insert into bridle.inbox (run_id, message) values (p_run, p_message);
end $$;

create function bridle.append_fleet(p_events text[], p_capacity int) returns void
language plpgsql as $$
declare
  v_last bigint;
begin
  update bridle.fleet_head set last_id = last_id + cardinality(p_events) returning last_id into v_last;
  insert into bridle.fleet_event (id, event)
    select v_last - cardinality(p_events) + n, event from unnest(p_events) with ordinality as given (event, n);
  delete from bridle.fleet_event where id <= v_last - p_capacity;
end $$;
