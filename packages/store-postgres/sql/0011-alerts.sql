-- Alerts between their decision and their receivers. Entries of the logs that may be an alert are kept in the commit that writes
-- them, so that no crash can come between; the lease holder folds them into alerts, and deliveries are booked one by one.

create table bridle.alert_signal (
  id bigint generated always as identity primary key,
  source text collate "C" not null,
  event text not null
);

-- Nobody may be there to read them. Rows that another commit is just deleting are left to it.
create function bridle.keep_signal(p_source text, p_event text) returns void language plpgsql as $$
declare
  v_id bigint;
begin
  insert into bridle.alert_signal (source, event) values (p_source, p_event) returning id into v_id;
  delete from bridle.alert_signal where id in (
    select id from bridle.alert_signal where id <= v_id - 10000 for update skip locked
  );
end $$;

create function bridle.entry_signal() returns trigger language plpgsql as $$
begin
  perform bridle.keep_signal(new.run_id || '.' || new.seq, new.event);
  return null;
end $$;

create function bridle.fleet_signal() returns trigger language plpgsql as $$
begin
  perform bridle.keep_signal('fleet.' || new.id, new.event);
  return null;
end $$;

-- The types of `alertSources`; a quoted name cannot stand inside a JSON string, where quotes are escaped. `json` would not do: it
-- refuses to give any member of a text with \u0000 in it.
create trigger entry_signal after insert on bridle.entry for each row
  when (new.event ~ '"type": ?"(run\.(paused|resumed|finished)|task\.(stalled|looping|timed_out|killed)|budget\.(overrun|exhausted|raised))"')
  execute function bridle.entry_signal();
create trigger fleet_signal after insert on bridle.fleet_event for each row
  when (new.event ~ '"type": ?"(breaker\.(open|close|forced|reset)|guard\.degraded)"')
  execute function bridle.fleet_signal();

create table bridle.alert (
  ordinal bigint generated always as identity primary key,
  id text collate "C" not null unique,
  body text not null,
  created_at double precision not null
);

create table bridle.alert_delivery (
  alert bigint not null references bridle.alert on delete cascade,
  destination text collate "C" not null,
  status text not null default 'pending',
  attempts int not null default 0,
  next_at double precision not null,
  error text,
  primary key (alert, destination)
);
create index alert_delivery_pending on bridle.alert_delivery (destination, next_at, alert) where status = 'pending';

-- One row: what the next fold has to know.
create table bridle.alert_state (state text);
insert into bridle.alert_state values (null);

-- p_destinations: for each alert the names of its receivers.
create function bridle.fold_alerts(
  p_lease text, p_epoch bigint, p_consumed bigint[], p_state text,
  p_ids text[], p_bodies text[], p_destinations json, p_at double precision, p_capacity int
) returns boolean language plpgsql as $$
declare
  v_ordinal bigint;
begin
  perform from bridle.lease l where l.name = p_lease and l.epoch = p_epoch and l.holder is not null for share;
  if not found then return false; end if;
  delete from bridle.alert_signal where id = any(p_consumed);
  update bridle.alert_state set state = p_state;
  for i in 1 .. cardinality(p_ids) loop
    insert into bridle.alert (id, body, created_at) values (p_ids[i], p_bodies[i], p_at)
      on conflict (id) do nothing returning ordinal into v_ordinal;
    continue when v_ordinal is null;
    insert into bridle.alert_delivery (alert, destination, next_at)
      select v_ordinal, destination, p_at from json_array_elements_text(p_destinations -> (i - 1)) as given (destination);
  end loop;
  if cardinality(p_ids) > 0 then
    delete from bridle.alert where ordinal <= (select max(ordinal) from bridle.alert) - p_capacity;
  end if;
  return true;
end $$;
