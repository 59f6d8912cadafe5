-- A commit that sets something aside (p_openings: [{ "taskId", "holdId", tokens, "nanoUsd", calls }]) for tasks whose envelopes it
-- opens. All of it happens or nothing: a refusal undoes what was set aside before it, with its entries. The rest is
-- `commit_decisions`, whose parameters follow.
create function bridle.commit_with_openings(
  p_openings json,
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
  v_opening record;
  v_refusal text;
begin
  begin
    -- The run's mutex first, as everywhere.
    v_head := bridle.lock_head(p_run);
    if v_head.run_id is null then refusal := 'unknown_run'; return; end if;
    insert into bridle.envelope (run_id, name, limits, credit_mode, on_trip)
      select p_run, "taskId", array[tokens, "nanoUsd", calls], "creditMode", "onTrip"
      from json_to_recordset(p_envelopes) as given
        ("taskId" text, tokens bigint, "nanoUsd" bigint, calls bigint, "creditMode" text, "onTrip" text)
      on conflict do nothing;
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
        p_stop_tasks, p_stop_attempts, p_stop_reasons, p_output, p_snapshot, p_at) c;
    if refusal is not null then raise exception 'commit refused' using errcode = 'BRN03'; end if;
  exception when sqlstate 'BRN03' then
    -- What was written above is undone; the variables keep their values.
    seq := null;
    decisions := null;
  end;
end $$;
