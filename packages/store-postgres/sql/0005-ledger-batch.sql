-- Several moves of one run's ledger in one transaction: one lock, one commit. A busy envelope is then limited by what
-- the moves cost, not by how often the disk can be told. Each move is the function it names, in the order given.

create function bridle.amounts_of(p_amounts json) returns bigint[]
language sql immutable parallel safe as $$
  select case when json_typeof(p_amounts) = 'array' then
    array[(p_amounts ->> 0)::bigint, (p_amounts ->> 1)::bigint, (p_amounts ->> 2)::bigint] end
$$;

-- p_moves: [{ "name": …, "values": [run, task, attempt, hold, …] }], values as the function takes them.
create function bridle.ledger_batch(p_run text, p_moves json) returns setof json
language plpgsql as $$
declare
  v_move record;
  v json;
begin
  perform bridle.lock_head(p_run);
  for v_move in
    select value ->> 'name' as name, value -> 'values' as given
    from json_array_elements(p_moves) with ordinality as moves (value, n) order by n
  loop
    v := v_move.given;
    case v_move.name
      when 'reserve' then
        return query select row_to_json(answer) from bridle.reserve(p_run, v ->> 1, (v ->> 2)::int, v ->> 3,
          (v ->> 4)::int, bridle.amounts_of(v -> 5), v ->> 6, (v ->> 7)::double precision) answer;
      when 'dispatch' then
        return next json_build_object('dispatch', bridle.dispatch(p_run, v ->> 1, (v ->> 2)::int, v ->> 3));
      when 'end_hold' then
        return query select row_to_json(answer) from bridle.end_hold(p_run, v ->> 1, (v ->> 2)::int, v ->> 3,
          bridle.amounts_of(v -> 4), v ->> 5, (v ->> 6)::double precision) answer;
    end case;
  end loop;
end $$;
