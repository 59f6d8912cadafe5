-- Why one level cannot pay; nulls when it can. As in 0002, and: who books without enforcing (`unenforced`) is refused only
-- by a closed envelope. Change it together with the pure reducer in packages/budget.
create or replace function bridle.finding(
  p_envelope bridle.envelope, p_amounts bigint[], p_kind text,
  out refusal text, out dimension text
) language plpgsql immutable as $$
declare
  v_line bigint;
  v_after bigint;
begin
  dimension := 'none';
  if p_envelope.closed then refusal := 'closed'; return; end if;
  if p_kind = 'unenforced' then return; end if;
  if cardinality(p_envelope.frozen_by) > 0 then refusal := 'frozen'; return; end if;
  if p_envelope.tripped_by is not null and not (p_kind = 'ladder' and p_envelope.on_trip = 'ladder') then
    refusal := 'tripped';
    dimension := p_envelope.tripped_by;
    return;
  end if;
  for d in 1..3 loop
    continue when p_amounts[d] = 0;
    v_line := p_envelope.limits[d];
    if p_envelope.credit_mode = 'strict' then v_line := v_line * 90 / 100; end if;
    v_after := p_envelope.settled[d] + p_amounts[d];
    if v_after > v_line then
      refusal := 'never_fits';
      dimension := bridle.dimension_name(d);
      return;
    end if;
    if refusal is null and v_after + p_envelope.reserved[d] > v_line then
      refusal := 'transient';
      dimension := bridle.dimension_name(d);
    end if;
  end loop;
end $$;
