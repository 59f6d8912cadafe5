-- A fence that is raised again to where it stands, before anybody has claimed the attempt, dates it anew: what waits for a worker
-- that does not come then stands behind what was lost on its way, and hides it no longer.

create or replace function bridle.raise_fences(p_run text, p_tasks text[], p_attempts int[], p_now double precision)
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
      where t.fence < excluded.fence or (t.fence = excluded.fence and not t.is_claimed);
  return found;
end $$;
