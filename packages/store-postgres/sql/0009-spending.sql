-- When a hold was charged, so that what was spent in the last minute can be told, whoever spent it (BB-1); and a raise
-- stands in the run's log like every other move of an envelope.

alter table bridle.hold add column charged_at double precision;
create index hold_charged on bridle.hold (charged_at) where charged_at is not null;

-- Ends an open hold with a charge. Contract: the caller holds the run's head.
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
  return v_overrun;
end $$;

drop function bridle.raise_envelope(text, text, bigint[]);

create function bridle.raise_envelope(p_run text, p_envelope text, p_by bigint[], p_at double precision)
returns setof bridle.envelope language plpgsql as $$
declare
  v_head bridle.run_head;
  v_envelope bridle.envelope;
begin
  v_head := bridle.lock_head(p_run);
  update bridle.envelope set limits = bridle.plus(limits, p_by) where run_id = p_run and name = p_envelope;
  update bridle.envelope
    set tripped_by = case when tripped_by is null then null else bridle.over_line(settled, limits) end
    where run_id = p_run and name = p_envelope returning * into v_envelope;
  if v_envelope.run_id is null then return; end if;
  perform bridle.append_ledger_entry(v_head, 'budget.raised', p_at, jsonb_build_object(
    'envelope', p_envelope, 'raisedBy', bridle.wire(p_by), 'limit', bridle.wire(v_envelope.limits)));
  return next v_envelope;
end $$;

-- The runs that were charged most since then by that dimension (1 tokens, 2 nano-USD), with their envelopes as they stand now,
-- and, with a null run, everything that was charged since then.
create function bridle.spending(p_since double precision, p_dimension int, p_limit int)
returns table (run_id text, charged bigint[], settled bigint[], reserved bigint[], limits bigint[])
language sql stable as $$
  with charge as (
    select h.run_id, sum(h.charged[1])::bigint as tokens, sum(h.charged[2])::bigint as nano_usd, sum(h.charged[3])::bigint as calls
    from bridle.hold h where h.charged_at >= p_since group by h.run_id
  ), dearest as (
    select c.run_id, array[c.tokens, c.nano_usd, c.calls] as charged,
      row_number() over (order by case p_dimension when 1 then c.tokens else c.nano_usd end desc, c.run_id) as place
    from charge c order by place limit p_limit
  ), told as (
    select d.run_id, d.charged, e.settled, e.reserved, e.limits, d.place
    from dearest d join bridle.envelope e on e.run_id = d.run_id and e.name = 'run'
    union all
    select null, array[coalesce(sum(tokens), 0)::bigint, coalesce(sum(nano_usd), 0)::bigint, coalesce(sum(calls), 0)::bigint],
      null, null, null, null
    from charge
  )
  select t.run_id, t.charged, t.settled, t.reserved, t.limits from told t order by t.place nulls last
$$;
