-- How available each component was, as probes from outside have seen it.

-- Records minutes of a probe: `[{"minute": "2026-11-26T06:00Z", "up": {"api": true}}]`. Where several probes saw the same minute,
-- one that could reach the service is believed: the network of the other may have failed. A minute that is sent twice counts once.
create or replace function status.record_minutes(_minutes json) returns void language plpgsql as $$
declare
  _days date[];
begin
  with seen as (
    select date_trunc('minute', (m ->> 'minute')::timestamptz) as minute, c.key as component, bool_or(c.value::boolean) as is_up
    from json_array_elements(_minutes) m cross join lateral json_each_text(m -> 'up') c
    where (m ->> 'minute')::timestamptz between now() - interval '2 days' and now() + interval '1 minute'
    group by 1, 2 order by 1, 2),
  written as (
    insert into svc.probe as p (minute, component, is_up) select minute, component, is_up from seen
    on conflict (minute, component) do update set is_up = p.is_up or excluded.is_up
    returning minute)
  select array_agg(distinct (minute at time zone 'utc')::date) into _days from written;
  insert into svc.availability as a (day, component, up_minutes, probed_minutes)
    select d.day, p.component, count(*) filter (where p.is_up), count(*)
    from unnest(_days) d (day) join svc.probe p
      on p.minute >= d.day::timestamp at time zone 'utc' and p.minute < (d.day + 1)::timestamp at time zone 'utc'
    group by 1, 2 order by 1, 2
    on conflict (day, component) do update set up_minutes = excluded.up_minutes, probed_minutes = excluded.probed_minutes;
  delete from svc.probe where minute < now() - interval '7 days';
  delete from svc.availability where day < now() - interval '400 days';
end $$;

-- The days of each component that have data: `{"api": [["2026-11-26", 1438, 1440]]}`, with the minutes up and those probed.
create or replace function status.list_availability(_days integer) returns json language sql stable as $$
  select coalesce(json_object_agg(component, days), '{}')
  from (select a.component, json_agg(json_build_array(a.day, a.up_minutes, a.probed_minutes) order by a.day) as days
    from svc.availability a where a.day > (now() at time zone 'utc')::date - _days group by 1) c
$$;
