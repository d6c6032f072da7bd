-- Decision 0573: let operators set the share of an account.

create or replace function lane.read_setting(_name text) returns integer language sql stable as $$
  select (s.value #>> '{}')::integer from svc.setting s where s.name = _name
$$;

-- What accounts may have of lanes: places while others wait, jobs at once (null is no limit), and whether their jobs go before
-- (-1) or after (1) those of others. Settings that were not changed have no row.
create or replace function lane.find_rules(_accounts uuid[], _lanes text[])
returns table (account_id uuid, lane text, share integer, most integer, urgency integer) language sql stable as $$
  select a.id, l.name, greatest(1, l.places * coalesce(r.share_percent, standard.percent) / 100)::integer,
    coalesce(r.max_running, standard.most), coalesce(r.urgency, 0)
  from unnest(_accounts) a (id)
  cross join (select u.name, coalesce(sum((w.lanes ->> u.name)::integer), 0) as places
    from unnest(_lanes) u (name) left join svc.worker w on true group by u.name) l
  cross join (select coalesce(lane.read_setting('queue.share_percent'), 50) as percent,
    nullif(lane.read_setting('queue.max_running'), 0) as most) standard
  left join svc.lane_rule r on r.account_id = a.id
$$;

-- Sets how the jobs of an account share the lanes; null is what is standard. Jobs that were held and may run now are let go;
-- lower limits count for jobs that are queued later.
create or replace function lane.set_rule(_account uuid, _share_percent integer, _max_running integer, _urgency integer)
returns void language plpgsql as $$
begin
  perform from svc.account where id = _account for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  if _share_percent not between 1 and 100 or _max_running not between 1 and 10000 or _urgency not between -1 and 1 then
    raise exception 'INVALID_PARAM' using errcode = 'SVC01', detail = json_build_object('reason',
      'A share is 1 to 100 percent, jobs at once are 1 to 10000, and the urgency is -1, 0 or 1.')::text;
  end if;
  if _share_percent is null and _max_running is null and coalesce(_urgency, 0) = 0 then
    delete from svc.lane_rule where account_id = _account;
  else
    insert into svc.lane_rule (account_id, share_percent, max_running, urgency)
      values (_account, _share_percent, _max_running, coalesce(_urgency, 0))
    on conflict (account_id) do update set share_percent = excluded.share_percent, max_running = excluded.max_running,
      urgency = excluded.urgency;
  end if;
  perform lane.promote_accounts(array[_account], array['thread', 'native', 'program', 'remote'], 1000000);
end $$;

create or replace function lane.read_rule(_account uuid) returns json language sql stable as $$
  select json_build_object('sharePercent', r.share_percent, 'maxRunning', r.max_running, 'urgency', coalesce(r.urgency, 0))
  from svc.account a left join svc.lane_rule r on r.account_id = a.id where a.id = _account
$$;
