-- Fences, claims, results, the step journal and leases. Insert-once, decided here.

create function bridle.raise_fences(p_run text, p_tasks text[], p_attempts int[], p_now double precision)
returns boolean language plpgsql as $$
declare
  v_head bridle.run_head;
begin
  v_head := bridle.lock_head(p_run);
  if v_head.run_id is null then return false; end if;
  insert into bridle.task as t (run_id, task_id, fence, fenced_at)
    select p_run, task_id, max(attempt), p_now from unnest(p_tasks, p_attempts) as given (task_id, attempt)
    group by task_id
    on conflict (run_id, task_id) do update
      set fence = excluded.fence, fenced_at = excluded.fenced_at,
          is_claimed = exists (select from bridle.claim c
            where c.run_id = t.run_id and c.task_id = t.task_id and c.attempt = excluded.fence)
      where t.fence < excluded.fence;
  return found;
end $$;

create function bridle.is_closed(p_run text, p_task text) returns boolean
language sql stable as $$
  select exists (select from bridle.envelope where run_id = p_run and name in ('run', p_task) and closed)
$$;

create function bridle.claim_attempt(
  p_run text, p_task text, p_attempt int, p_worker text, p_boot text, p_at double precision,
  out refusal text, out envelope text, out trace_id text, out grace_used_ms double precision
) language plpgsql as $$
declare
  v_head bridle.run_head;
  v_task bridle.task;
begin
  v_head := bridle.lock_head(p_run);
  select * into v_task from bridle.task t where t.run_id = p_run and t.task_id = p_task;
  select i.body into envelope from bridle.task_input i where i.run_id = p_run and i.task_id = p_task;
  if v_head.run_id is null or coalesce(v_task.fence, 0) = 0 or envelope is null then
    refusal := 'unknown_task';
    return;
  end if;
  if p_attempt <> v_task.fence then refusal := 'fenced'; return; end if;
  if v_head.ended or bridle.is_closed(p_run, p_task) then refusal := 'closed'; return; end if;
  insert into bridle.claim (run_id, task_id, attempt, worker_id, boot_id)
    values (p_run, p_task, p_attempt, p_worker, p_boot) on conflict do nothing;
  if not found then refusal := 'already_claimed'; return; end if;
  update bridle.task t set is_claimed = true where t.run_id = p_run and t.task_id = p_task;
  -- With the claim, not after it: who decides to stop a task must see in the log whether a worker holds it.
  perform bridle.append_ledger_entry(v_head, 'task.claimed', p_at, jsonb_build_object(
    'taskId', p_task, 'attempt', p_attempt, 'workerId', p_worker, 'bootId', p_boot));
  trace_id := v_head.trace_id;
  grace_used_ms := v_task.grace_used_ms;
end $$;

create function bridle.finish_attempt(
  p_run text, p_task text, p_attempt int, p_boot text, p_message text, p_is_completed boolean, p_output text,
  p_grace_used_ms double precision, p_at double precision
) returns text language plpgsql as $$
declare
  v_head bridle.run_head;
  v_claim bridle.claim;
  v_refusal text;
begin
  v_head := bridle.lock_head(p_run);
  if v_head.run_id is null then return 'not_claimed'; end if;
  select * into v_claim from bridle.claim where run_id = p_run and task_id = p_task and attempt = p_attempt;
  v_refusal := case
    when exists (select from bridle.task where run_id = p_run and task_id = p_task and p_attempt < fence) then 'fenced'
    when v_claim.boot_id is distinct from p_boot then 'not_claimed'
    when v_claim.is_finished then 'already_finished' end;
  -- In every case: whoever says that the attempt is over will not end its holds later.
  perform bridle.end_attempt_holds(v_head, p_task, p_attempt, p_at);
  if v_claim.boot_id = p_boot then
    update bridle.claim set is_over = true, is_finished = is_finished or v_refusal is null
      where run_id = p_run and task_id = p_task and attempt = p_attempt;
  end if;
  if v_refusal is not null then return v_refusal; end if;
  update bridle.task set ended_attempt = greatest(ended_attempt, p_attempt), grace_used_ms = p_grace_used_ms
    where run_id = p_run and task_id = p_task;
  if p_is_completed then
    insert into bridle.task_output as o values (p_run, p_task, p_output)
      on conflict (run_id, task_id) do update set body = excluded.body;
  end if;
  insert into bridle.inbox (run_id, message) values (p_run, p_message);
  return null;
end $$;

-- Whether the attempt may write: the fence cannot rise before this transaction ends.
create function bridle.may_write(p_run text, p_task text, p_attempt int) returns boolean
language plpgsql as $$
begin
  perform from bridle.run_head where run_id = p_run and not ended for share;
  return found and not exists (
    select from bridle.task where run_id = p_run and task_id = p_task and p_attempt < fence);
end $$;

create function bridle.begin_step(p_run text, p_task text, p_attempt int, p_name text, out state text, out result text)
language plpgsql as $$
declare
  v_step bridle.step;
begin
  if not bridle.may_write(p_run, p_task, p_attempt) then state := 'fenced'; return; end if;
  insert into bridle.step (run_id, task_id, name, attempt) values (p_run, p_task, p_name, p_attempt)
    on conflict do nothing;
  if found then state := 'new'; return; end if;
  select * into v_step from bridle.step s where s.run_id = p_run and s.task_id = p_task and s.name = p_name;
  result := v_step.result;
  state := case when v_step.result is not null then 'done'
    when v_step.attempt < p_attempt then 'begun' else 'new' end;
end $$;

create function bridle.save_step(p_run text, p_task text, p_attempt int, p_name text, p_result text) returns boolean
language plpgsql as $$
begin
  if not bridle.may_write(p_run, p_task, p_attempt) then return false; end if;
  insert into bridle.step as s values (p_run, p_task, p_name, p_attempt, p_result)
    on conflict (run_id, task_id, name) do update set result = coalesce(s.result, excluded.result);
  return true;
end $$;

-- Dated by `clock_timestamp()`, the database's own clock at this moment.
create function bridle.acquire_lease(p_name text, p_holder text, p_ttl_ms double precision) returns bigint
language sql as $$
  insert into bridle.lease as l
    values (p_name, p_holder, 1, clock_timestamp() + p_ttl_ms * interval '1 millisecond')
  on conflict (name) do update
    set holder = excluded.holder, until = excluded.until,
        epoch = l.epoch + case when l.holder is distinct from excluded.holder then 1 else 0 end
    where l.holder is null or l.holder = excluded.holder or l.until <= clock_timestamp()
  returning epoch
$$;
