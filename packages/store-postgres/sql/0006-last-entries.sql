-- A finish brings the attempt's last journal entries: one statement less per task, and no result without them.

drop function bridle.finish_attempt(text, text, int, text, text, boolean, text, double precision, double precision);

create function bridle.finish_attempt(
  p_run text, p_task text, p_attempt int, p_boot text, p_message text, p_is_completed boolean, p_output text,
  p_grace_used_ms double precision, p_journal text[], p_at double precision
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
  -- Before what ends with the attempt: it happened before.
  if v_refusal is null and cardinality(p_journal) > 0 then
    perform bridle.append_entries(p_run, p_journal, false);
  end if;
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
