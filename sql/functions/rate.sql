-- Adds the counts of one process and returns those of all processes together, so that a limit holds across processes.
create or replace function rate.sync(_counts json) returns json language sql as $$
  with counted as (
    select bucket, window_start, sum(used)::integer as used
    from json_to_recordset(_counts) as c (bucket text, window_start bigint, used integer)
    group by bucket, window_start order by bucket, window_start),
  totals as (
    insert into svc.rate_count (bucket, window_start, used) select * from counted
    on conflict (bucket, window_start) do update set used = svc.rate_count.used + excluded.used
    returning bucket, window_start, used)
  select coalesce(json_agg(json_build_array(bucket, window_start, used)), '[]') from totals
$$;

create or replace function rate.forget(_before bigint) returns void language sql as $$
  delete from svc.rate_count where window_start < _before
$$;
