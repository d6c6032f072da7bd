-- Decision 0660: names of a channel are stored with those of its owner.

-- The channel to which a stored name belongs; null if it belongs to the account alone.
create or replace function coordination.find_channel(_name text) returns uuid language sql immutable as $$
  select case when _name like '%/%' then split_part(_name, '/', 1)::uuid end
$$;

-- When a hold of so many seconds ends: with the channel at the latest, of which nobody can use a name afterwards.
create or replace function coordination.find_end(_channel uuid, _seconds integer) returns timestamptz language sql volatile as $$
  select least(clock_timestamp() + make_interval(secs => _seconds), (select c.expires_at from svc.channel c where c.id = _channel))
$$;

-- A stored name as callers know it.
create or replace function coordination.show_name(_name text) returns text language sql immutable as $$
  select case when _name like '%/%' then split_part(_name, '/', 2) else _name end
$$;

create or replace function coordination.refuse_name(_max_names integer) returns void language plpgsql as $$
begin
  raise exception 'TOO_MANY_NAMES' using errcode = 'SVC01', detail = json_build_object('max', _max_names)::text;
end $$;
