-- Answers of model calls that may be given again, by key. Never truth: losing a row costs one call.
create table bridle.result_cache (
  key text collate "C" primary key,
  body text not null,
  stored_at double precision not null
);
create index result_cache_newest on bridle.result_cache (stored_at desc);

-- Two writers of one key at once: the second waits and replaces. What another call is just deleting is left to it.
create function bridle.put_result(
  p_key text, p_body text, p_at double precision, p_max int, p_older_than double precision
) returns void language plpgsql as $$
begin
  insert into bridle.result_cache as c (key, body, stored_at) values (p_key, p_body, p_at)
    on conflict (key) do update set body = excluded.body, stored_at = excluded.stored_at;
  delete from bridle.result_cache where key in (
    select old.key from (
      select c.key, c.stored_at, row_number() over (order by c.stored_at desc) as place from bridle.result_cache c
    ) old
    join bridle.result_cache own on own.key = old.key
    where old.place > p_max or old.stored_at < p_older_than
    for update of own skip locked
  );
end $$;
