-- A member says that it is there, until its time is over, or that of the channel.
create or replace function channel.see(_visitor json, _member text, _state text, _seconds integer, _max integer) returns json
language plpgsql as $$
declare
  _token svc.channel_token := channel.find_token(_visitor, '');
  _channel svc.channel := channel.find(_visitor, _token);
  _is_new boolean;
begin
  insert into svc.channel_member as m (channel_id, member, state, seen_at, expires_at)
    values (_channel.id, _member, _state, clock_timestamp(),
      least(clock_timestamp() + make_interval(secs => _seconds), _channel.expires_at))
    on conflict (channel_id, member) do update set state = excluded.state, seen_at = excluded.seen_at,
      expires_at = excluded.expires_at
    returning m.xmax = 0 into _is_new;
  if _is_new then
    delete from svc.channel_member where channel_id = _channel.id and expires_at <= clock_timestamp();
    if (select count(*) from svc.channel_member where channel_id = _channel.id) > _max then
      raise exception 'TOO_MANY_MEMBERS' using errcode = 'SVC01', detail = json_build_object('max', _max)::text;
    end if;
  end if;
  return channel.list_members(_channel.id);
end $$;

create or replace function channel.list_members(_channel uuid) returns json language sql volatile as $$
  select coalesce(json_agg(json_build_object('member', m.member, 'state', m.state, 'seenAt', m.seen_at, 'expiresAt', m.expires_at)
    order by m.member), '[]') from svc.channel_member m where m.channel_id = _channel and m.expires_at > clock_timestamp()
$$;

create or replace function channel.read_members(_visitor json) returns json language plpgsql volatile as $$
declare
  _token svc.channel_token := channel.find_token(_visitor, '');
  _channel svc.channel := channel.find(_visitor, _token);
begin
  return channel.list_members(_channel.id);
end $$;
