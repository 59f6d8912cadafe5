-- The state of every run. Times are wall milliseconds as the caller gives them (double precision, as in JSON); only
-- leases are dated by the database. Everything a person or an agent wrote is JSON text in `text` columns: `jsonb`
-- refuses \u0000 and lone surrogates. Ids compare byte by byte.

-- What the index shows, one row per run.
create table bridle.run (
  run_id text collate "C" primary key,
  trace_id text collate "C" not null,
  workflow text collate "C" not null,
  version int not null,
  status text collate "C" not null,
  created_at double precision not null,
  updated_at double precision not null,
  ended boolean not null default false
);
create index run_newest on bridle.run (created_at desc, run_id desc);
create index run_by_status on bridle.run (status, created_at desc, run_id desc);
create index run_by_workflow on bridle.run (workflow, created_at desc, run_id desc);
create index run_by_trace on bridle.run (trace_id);
create index run_live on bridle.run (created_at, run_id) where not ended;

-- Where a run's log stands. The lock on this row is the run's mutex: whoever writes anything of a run takes it first.
-- That makes `seq` gap-free in commit order, and deadlocks between operations of one run impossible.
create table bridle.run_head (
  run_id text collate "C" primary key,
  trace_id text collate "C" not null,
  seq bigint not null default 0,
  decisions int not null default 0,
  ended boolean not null default false
) with (fillfactor = 50);

-- What is written once and read seldom, apart from the row that every operation rewrites.
create table bridle.run_body (
  run_id text collate "C" primary key,
  compiled text not null,
  input text not null,
  body_hash text,
  output text
);

create table bridle.run_snapshot (
  run_id text collate "C" primary key,
  decisions int not null,
  seq bigint not null,
  state text not null
);

create table bridle.idempotency (
  key text collate "C" primary key,
  body_hash text not null,
  run_id text collate "C" not null,
  expires_at double precision not null
);

create table bridle.entry (
  run_id text collate "C" not null,
  seq bigint not null,
  is_decision boolean not null,
  event text not null,
  primary key (run_id, seq)
);
create index entry_decision on bridle.entry (run_id, seq) where is_decision;

create table bridle.task (
  run_id text collate "C" not null,
  task_id text collate "C" not null,
  fence int not null default 0,
  fenced_at double precision not null default 0,
  -- Whether the attempt at the fence was claimed.
  is_claimed boolean not null default false,
  -- Highest attempt with an accepted result: neither it nor an older one may reserve again.
  ended_attempt int not null default 0,
  grace_used_ms double precision not null default 0,
  primary key (run_id, task_id)
) with (fillfactor = 70);
create index task_unclaimed on bridle.task (fenced_at) where fence > 0 and not is_claimed;

create table bridle.task_input (
  run_id text collate "C" not null,
  task_id text collate "C" not null,
  body text not null,
  primary key (run_id, task_id)
);

create table bridle.task_output (
  run_id text collate "C" not null,
  task_id text collate "C" not null,
  body text,
  primary key (run_id, task_id)
);

create table bridle.claim (
  run_id text collate "C" not null,
  task_id text collate "C" not null,
  attempt int not null,
  worker_id text not null,
  boot_id text collate "C" not null,
  is_finished boolean not null default false,
  -- Its worker has let go of it: finished, or told that it was fenced.
  is_over boolean not null default false,
  primary key (run_id, task_id, attempt)
);
create index claim_open on bridle.claim (boot_id) where not is_over;

create table bridle.stop_order (
  run_id text collate "C" not null,
  task_id text collate "C" not null,
  attempt int not null,
  -- A JSON string.
  reason text not null,
  primary key (run_id, task_id, attempt)
);

create table bridle.step (
  run_id text collate "C" not null,
  task_id text collate "C" not null,
  -- A JSON string.
  name text collate "C" not null,
  attempt int not null,
  result text,
  primary key (run_id, task_id, name)
);

-- Amounts are three integers: tokens, nano-USD, calls.
create table bridle.envelope (
  run_id text collate "C" not null,
  -- `run`, or a task id.
  name text collate "C" not null,
  ordinal bigint generated always as identity,
  limits bigint[] not null,
  credit_mode text not null,
  on_trip text not null,
  settled bigint[] not null default '{0,0,0}',
  reserved bigint[] not null default '{0,0,0}',
  tripped_by text,
  closed boolean not null default false,
  frozen_by text[] not null default '{}',
  primary key (run_id, name)
) with (fillfactor = 50);

create table bridle.hold (
  run_id text collate "C" not null,
  hold_id text collate "C" not null,
  ordinal bigint generated always as identity,
  task_id text collate "C" not null,
  attempt int not null,
  step int not null,
  amounts bigint[] not null,
  status text not null,
  is_open boolean not null default true,
  renewed_at double precision not null,
  -- The first answer, once it has ended.
  charged bigint[],
  overrun boolean,
  basis text,
  primary key (run_id, hold_id)
) with (fillfactor = 70);
create index hold_open on bridle.hold (run_id, task_id, attempt) where is_open;
create index hold_renewed on bridle.hold (renewed_at) where is_open;
create index hold_by_id on bridle.hold (hold_id) where is_open;

create table bridle.inbox (
  id bigint generated always as identity primary key,
  run_id text collate "C" not null,
  message text not null
);

create table bridle.timer (
  run_id text collate "C" not null,
  key text collate "C" not null,
  at double precision not null,
  primary key (run_id, key)
);
create index timer_due on bridle.timer (at, run_id, key);

create table bridle.lease (
  name text collate "C" primary key,
  holder text collate "C",
  epoch bigint not null,
  until timestamptz not null
) with (fillfactor = 50);

-- Ids come from the one row of `fleet_head`, whose lock puts them in commit order: a sequence gives its numbers before
-- the commit, and a reader behind a cursor would skip an entry that commits late.
create table bridle.fleet_head (last_id bigint not null);
insert into bridle.fleet_head values (0);
create table bridle.fleet_event (
  id bigint primary key,
  event text not null
);
