-- Takes a message and gives it the next number. A repeat with the same key takes nothing.
create or replace function channel.post(_visitor json, _message json, _body json, _seconds integer) returns json
language plpgsql as $$
declare
  _token svc.channel_token := channel.find_token(_visitor, 'write');
  _channel svc.channel := channel.find(_visitor, _token);
  _new svc.channel_message := json_populate_record(null::svc.channel_message, _message);
  _known svc.channel_spent_key;
begin
  -- Held until the end, so that numbers become visible in their order.
  select * into _channel from svc.channel where id = _channel.id for no key update;
  perform channel.require_open(_channel);
  _known := channel.find_known(_channel.id, _new.dedupe_key);
  if _known.id is not null then
    if _known.body_hash <> sha256(convert_to(_body::text, 'UTF8')) then
      raise exception 'IDEMPOTENCY_CONFLICT' using errcode = 'SVC01',
        detail = '{"field":"dedupeKey","reason":"it came with another body before"}';
    end if;
    return json_build_object('id', channel.format_message_id(_known.id), 'seq', _known.seq, 'isRepeat', true);
  elsif octet_length(_body::text) > _channel.max_message_bytes then
    raise exception 'BODY_TOO_LARGE' using errcode = 'SVC01',
      detail = json_build_object('maxBytes', _channel.max_message_bytes)::text;
  elsif _channel.seq >= _channel.max_messages then
    raise exception 'CHANNEL_FULL' using errcode = 'SVC01', detail = json_build_object('max', _channel.max_messages)::text;
  elsif _new.reply_to is not null and not exists (
      select from svc.channel_message where channel_id = _channel.id and id = _new.reply_to) then
    raise exception 'INVALID_PARAM' using errcode = 'SVC01',
      detail = '{"field":"replyTo","reason":"no message of this channel has this id"}';
  end if;
  update svc.channel set seq = seq + 1 where id = _channel.id returning * into _channel;
  insert into svc.channel_message (channel_id, seq, id, sender, type, recipient, reply_to, dedupe_key, body, created_at, expires_at,
      visible_at)
    values (_channel.id, _channel.seq, _new.id, _token.label, _new.type, _new.recipient, _new.reply_to, _new.dedupe_key, _body,
      clock_timestamp(), clock_timestamp() + make_interval(secs => _seconds),
      case when _channel.mode = 'queue' then clock_timestamp() end);
  perform pg_notify('long_polls', 'channel ' || _channel.id);
  return json_build_object('id', channel.format_message_id(_new.id), 'seq', _channel.seq, 'isRepeat', false);
end $$;

-- The message that came with a key, also if it was acknowledged since and is gone.
create or replace function channel.find_known(_channel uuid, _key text) returns svc.channel_spent_key language sql stable as $$
  select channel_id, dedupe_key, id, seq, sha256(convert_to(body::text, 'UTF8')) from svc.channel_message
    where channel_id = _channel and dedupe_key = _key
  union all
  select channel_id, dedupe_key, id, seq, body_hash from svc.channel_spent_key where channel_id = _channel and dedupe_key = _key
  limit 1
$$;

create or replace function channel.format_message_id(_id uuid) returns text language sql immutable as $$
  select 'msg_' || replace(_id::text, '-', '')
$$;

create or replace function channel.show_message(_message svc.channel_message) returns json language sql stable as $$
  select json_build_object('id', channel.format_message_id(_message.id), 'seq', _message.seq, 'sender', _message.sender,
    'type', _message.type, 'to', _message.recipient, 'replyTo', channel.format_message_id(_message.reply_to),
    'body', _message.body, 'createdAt', _message.created_at, 'attempts', _message.attempts, 'isDead', _message.dead_at is not null)
$$;

-- Messages after a number, in their order, and the channel to wait for more of.
create or replace function channel.read_messages(_visitor json, _filter json, _limit integer) returns json
language plpgsql volatile as $$
declare
  _token svc.channel_token := channel.find_token(_visitor, 'read');
  _channel svc.channel := channel.find(_visitor, _token);
  _after integer := coalesce((_filter ->> 'after')::integer, 0);
  _types text[] := array(select json_array_elements_text(_filter -> 'types'));
begin
  if not _channel.keeps_history and _token.id is not null then
    _after := greatest(_after, _token.joined_seq);
  end if;
  return json_build_object('channel', _channel.id, 'expiresAt', _channel.expires_at, 'messages', (
    select coalesce(json_agg(channel.show_message(m) order by m.seq), '[]') from (
      select * from svc.channel_message where channel_id = _channel.id and seq > _after
        and (cardinality(_types) = 0 or type = any (_types))
        and (_filter ->> 'to' is null or recipient is null or recipient = _filter ->> 'to')
        and (expires_at is null or expires_at > clock_timestamp())
        and (dead_at is not null) = coalesce((_filter ->> 'isDead')::boolean, false)
      order by seq limit _limit) m));
end $$;

-- Hands out messages of a queue for some seconds, those that wait longest first. What was handed out too often is dead.
create or replace function channel.claim(_visitor json, _seconds integer, _limit integer, _most_attempts integer) returns json
language plpgsql volatile as $$
declare
  _token svc.channel_token := channel.find_token(_visitor, 'read');
  _channel svc.channel := channel.find(_visitor, _token);
  _claimed json;
begin
  perform channel.require_queue(_channel);
  update svc.channel_message set dead_at = clock_timestamp(), visible_at = null, receipt = null
    where channel_id = _channel.id and visible_at <= clock_timestamp() and attempts >= _most_attempts;
  with due as (
    select seq from svc.channel_message where channel_id = _channel.id and visible_at <= clock_timestamp()
      and (expires_at is null or expires_at > clock_timestamp()) order by seq limit _limit for update skip locked),
  claimed as (
    update svc.channel_message m set visible_at = clock_timestamp() + make_interval(secs => _seconds),
      attempts = m.attempts + 1, receipt = gen_random_uuid()
    from due where m.channel_id = _channel.id and m.seq = due.seq returning m as message)
  select coalesce(json_agg(channel.show_claim(c.message) order by (c.message).seq), '[]') from claimed c into _claimed;
  return json_build_object('channel', _channel.id, 'nextMs', channel.find_wait(_channel.id), 'messages', _claimed);
end $$;

-- The body is no jsonb, because that has no text with a zero byte.
create or replace function channel.show_claim(_message svc.channel_message) returns json language sql stable as $$
  select json_build_object('id', channel.format_message_id(_message.id), 'seq', _message.seq, 'sender', _message.sender,
    'type', _message.type, 'to', _message.recipient, 'replyTo', channel.format_message_id(_message.reply_to),
    'body', _message.body, 'createdAt', _message.created_at, 'attempts', _message.attempts,
    'isDead', _message.dead_at is not null, 'receipt', _message.receipt, 'visibleAt', _message.visible_at)
$$;

create or replace function channel.require_queue(_channel svc.channel) returns void language plpgsql as $$
begin
  if _channel.mode <> 'queue' then
    raise exception 'NOT_A_QUEUE' using errcode = 'SVC01';
  end if;
end $$;

-- The milliseconds until a message that is out returns, or an hour.
create or replace function channel.find_wait(_channel uuid) returns integer language sql volatile as $$
  select least(3600000, greatest(1,
    coalesce(ceil(extract(epoch from min(m.visible_at) - clock_timestamp()) * 1000), 3600000)))::integer
  from svc.channel_message m where m.channel_id = _channel and m.visible_at > clock_timestamp()
$$;

-- Ends messages that were claimed with these receipts, or gives them back after some seconds. Returns the receipts that are
-- stale: their time was over, and another claim has the message, or nobody needs it any more.
create or replace function channel.answer_claims(_visitor json, _receipts uuid[], _seconds integer, _most_attempts integer)
returns json language plpgsql as $$
declare
  _token svc.channel_token := channel.find_token(_visitor, 'read');
  _channel svc.channel := channel.find(_visitor, _token);
  _found uuid[];
  _dead integer;
begin
  perform channel.require_queue(_channel);
  _found := array(select receipt from svc.channel_message where channel_id = _channel.id and receipt = any (_receipts)
    order by seq for update);
  if _seconds is null then
    with done as (
      delete from svc.channel_message where channel_id = _channel.id and receipt = any (_found) returning *)
    insert into svc.channel_spent_key
      select channel_id, dedupe_key, id, seq, sha256(convert_to(body::text, 'UTF8')) from done where dedupe_key is not null;
  else
    update svc.channel_message set receipt = null,
        dead_at = case when attempts >= _most_attempts then clock_timestamp() end,
        visible_at = case when attempts < _most_attempts then clock_timestamp() + make_interval(secs => _seconds) end
      where channel_id = _channel.id and receipt = any (_found);
    perform pg_notify('long_polls', 'channel ' || _channel.id);
  end if;
  return json_build_object('done', cardinality(_found),
    'stale', (select coalesce(json_agg(r), '[]') from unnest(_receipts) r where r <> all (_found)));
end $$;
