-- Decision 0371: messages of a channel are paid for in advance.

-- Opens a channel, which `_job` pays for, with the first tokens for others.
create or replace function channel.open(_job json, _fields json, _tokens json, _seconds integer, _max_open integer) returns json
language plpgsql as $$
declare
  _channel svc.channel := json_populate_record(null::svc.channel, _fields);
  _result json;
begin
  perform pg_advisory_xact_lock(hashtextextended('channels ' || _channel.account_id, 0));
  if _max_open <= (select count(*) from svc.channel c
      where c.account_id = _channel.account_id and c.closed_at is null and c.expires_at > now()) then
    raise exception 'TOO_MANY_CHANNELS' using errcode = 'SVC01', detail = json_build_object('max', _max_open)::text;
  end if;
  insert into svc.channel (id, account_id, name, mode, keeps_history, max_messages, max_message_bytes, expires_at)
    values (_channel.id, _channel.account_id, _channel.name, _channel.mode, _channel.keeps_history, _channel.max_messages,
      _channel.max_message_bytes, now() + make_interval(secs => _seconds)) returning * into _channel;
  insert into svc.channel_token (id, channel_id, token_hash, role, label, joined_seq)
    select t.id, _channel.id, t.token_hash, t.role, t.label, 0 from json_populate_recordset(null::svc.channel_token, _tokens) t;
  _result := channel.show(_channel)::jsonb || jsonb_build_object('joinTokens', channel.list_tokens(_channel.id));
  perform job.settle(_job, _result);
  return _result;
end $$;

create or replace function channel.show(_channel svc.channel) returns json language sql stable as $$
  select json_build_object('id', channel.format_id(_channel.id), 'name', _channel.name, 'mode', _channel.mode,
    'state', case when _channel.closed_at is not null then 'closed' when _channel.expires_at <= now() then 'expired'
      else 'open' end,
    'history', _channel.keeps_history, 'messages', _channel.seq, 'maxMessages', _channel.max_messages,
    'maxMessageBytes', _channel.max_message_bytes, 'createdAt', _channel.created_at, 'expiresAt', _channel.expires_at)
$$;

create or replace function channel.is_own(_account uuid, _id uuid) returns boolean language sql stable as $$
  select exists (select from svc.channel where id = _id and account_id = _account)
$$;

create or replace function channel.format_id(_id uuid) returns text language sql immutable as $$
  select 'chn_' || replace(_id::text, '-', '')
$$;

create or replace function channel.list_tokens(_channel uuid) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('id', t.id, 'role', t.role, 'label', t.label, 'createdAt', t.created_at)
    order by t.created_at, t.id), '[]') from svc.channel_token t where t.channel_id = _channel
$$;

create or replace function channel.list(_account uuid, _limit integer, _offset integer) returns json language sql stable as $$
  select coalesce(json_agg(channel.show(c) order by c.created_at desc, c.id), '[]') from (
    select * from svc.channel where account_id = _account order by created_at desc, id limit _limit offset _offset) c
$$;

-- The token of a visitor, if it allows what is `_needed`: `read`, `write` or `own`. The owner has none.
create or replace function channel.find_token(_visitor json, _needed text) returns svc.channel_token
language plpgsql stable as $$
declare
  _token svc.channel_token;
begin
  if _visitor ->> 'token' is null then
    return null;
  end if;
  select * into _token from svc.channel_token where token_hash = (_visitor ->> 'token')::bytea;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif _needed = 'own' or position(_needed in _token.role) = 0 then
    raise exception 'FORBIDDEN' using errcode = 'SVC01', detail = json_build_object('role', _token.role, 'needed', _needed)::text;
  end if;
  return _token;
end $$;

-- The channel of a visitor, who is its owner or has a token. To others it is as if there were none.
create or replace function channel.find(_visitor json, _token svc.channel_token) returns svc.channel language plpgsql stable as $$
declare
  _channel svc.channel;
begin
  if _token.id is not null then
    select * into _channel from svc.channel where id = _token.channel_id;
  else
    select * into _channel from svc.channel
      where id = (_visitor ->> 'channel')::uuid and account_id = (_visitor ->> 'account')::uuid;
  end if;
  perform channel.require_open(_channel);
  return _channel;
end $$;

create or replace function channel.require_open(_channel svc.channel) returns void language plpgsql stable as $$
begin
  if _channel.id is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif _channel.closed_at is not null or _channel.expires_at <= now() then
    raise exception 'GONE' using errcode = 'SVC01';
  end if;
end $$;

-- The id and the owner of a channel whose visitor may do what is `_needed`, for what belongs to a channel.
create or replace function channel.locate(_visitor json, _needed text) returns json language plpgsql stable as $$
declare
  _channel svc.channel := channel.find(_visitor, channel.find_token(_visitor, _needed));
begin
  return json_build_object('id', _channel.id, 'accountId', _channel.account_id);
end $$;

create or replace function channel.read(_visitor json) returns json language plpgsql stable as $$
declare
  _token svc.channel_token := channel.find_token(_visitor, '');
  _channel svc.channel := channel.find(_visitor, _token);
begin
  if _token.id is not null then
    return channel.show(_channel)::jsonb || jsonb_build_object('role', _token.role, 'label', _token.label);
  end if;
  return channel.show(_channel)::jsonb || jsonb_build_object('role', 'owner', 'joinTokens', channel.list_tokens(_channel.id));
end $$;

-- Ends a channel before its time: its content and its tokens are deleted now.
create or replace function channel.close(_account uuid, _id uuid) returns json language plpgsql as $$
declare
  _channel svc.channel;
begin
  update svc.channel set closed_at = now() where id = _id and account_id = _account and closed_at is null returning * into _channel;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  delete from svc.channel_message where channel_id = _id;
  delete from svc.channel_spent_key where channel_id = _id;
  delete from svc.channel_member where channel_id = _id;
  perform pg_notify('long_polls', 'channel ' || _id);
  return channel.show(_channel);
end $$;

-- Pays for more messages by `_job`.
create or replace function channel.extend(_job json, _id uuid, _messages integer, _most integer) returns json language plpgsql as $$
declare
  _channel svc.channel;
  _result json;
begin
  update svc.channel set max_messages = max_messages + _messages
    where id = _id and account_id = (_job ->> 'account')::uuid and closed_at is null and expires_at > now()
      and max_messages + _messages <= _most
    returning * into _channel;
  if not found then
    _channel := channel.find(json_build_object('channel', _id, 'account', _job ->> 'account'), null);
    raise exception 'CHANNEL_FULL' using errcode = 'SVC01', detail = json_build_object('max', _most)::text;
  end if;
  _result := channel.show(_channel);
  perform job.settle(_job, _result);
  return _result;
end $$;

create or replace function channel.add_token(_account uuid, _id uuid, _fields json, _max integer) returns json
language plpgsql as $$
declare
  _channel svc.channel := channel.find(json_build_object('channel', _id, 'account', _account), null);
  _token svc.channel_token := json_populate_record(null::svc.channel_token, _fields);
begin
  perform from svc.channel where id = _id for no key update;
  if (select count(*) from svc.channel_token where channel_id = _id) >= _max then
    raise exception 'TOO_MANY_CHANNEL_TOKENS' using errcode = 'SVC01', detail = json_build_object('max', _max)::text;
  end if;
  insert into svc.channel_token (id, channel_id, token_hash, role, label, joined_seq)
    values (_token.id, _id, _token.token_hash, _token.role, _token.label, _channel.seq) returning * into _token;
  return json_build_object('id', _token.id, 'role', _token.role, 'label', _token.label, 'createdAt', _token.created_at);
end $$;

create or replace function channel.remove_token(_account uuid, _id uuid, _token uuid) returns json language plpgsql as $$
declare
  _channel svc.channel := channel.find(json_build_object('channel', _id, 'account', _account), null);
  _removed svc.channel_token;
begin
  delete from svc.channel_token where channel_id = _id and id = _token returning * into _removed;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  perform pg_notify('long_polls', 'channel ' || _id);
  return json_build_object('id', _removed.id, 'role', _removed.role, 'label', _removed.label, 'createdAt', _removed.created_at);
end $$;
