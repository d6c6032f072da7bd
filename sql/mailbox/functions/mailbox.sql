-- Opens a mailbox that `_job` pays for; `_webhook` is the endpoint that is told of each message.
create or replace function mailbox.buy(_job json, _fields json, _seconds integer, _token_hash bytea, _webhook json)
returns json language plpgsql as $$
declare
  _lease svc.lease := lease.prepare(_fields, _seconds);
  _result jsonb;
begin
  _lease.version := 1;
  _lease.drop_token_hash := _token_hash;
  _lease.has_webhook := _webhook is not null;
  _result := mailbox.view(_lease)::jsonb || jsonb_build_object('status', 'created', 'cost_micros', _job ->> 'charge');
  perform job.settle(_job, _result::json);
  perform lease.open(_lease);
  if _webhook is not null then
    perform webhook.register((_webhook ->> 'id')::uuid, _lease.account_id, _lease.id, _webhook ->> 'url',
      array['mailbox.message'], null, _webhook ->> 'secret', 1);
  end if;
  return _result;
end $$;

create or replace function mailbox.view(_lease svc.lease) returns json language sql stable as $$
  select json_build_object('lease_id', lease.format_id('lse_', _lease.id), 'label', _lease.label, 'version', _lease.version,
    'state', case when _lease.is_deleted then 'deleted' when _lease.ended_at is not null or _lease.expires_at <= now() then 'expired'
      when _lease.used_bytes >= _lease.capacity_bytes or _lease.message_count >= _lease.max_messages then 'full' else 'open' end,
    'capacity_bytes', _lease.capacity_bytes, 'used_bytes', _lease.used_bytes,
    'max_message_bytes', _lease.max_body_bytes, 'max_messages', _lease.max_messages, 'count', _lease.message_count,
    'drop_rate', _lease.drop_rate, 'allowed_content_types', _lease.content_types, 'has_webhook', _lease.has_webhook,
    'created_at', lease.format_time(_lease.created_at), 'expires_at', lease.format_time(_lease.expires_at))
$$;

create or replace function mailbox.find(_account uuid, _id uuid) returns svc.lease language plpgsql stable as $$
declare
  _lease svc.lease;
begin
  select * into _lease from svc.lease l where l.id = _id and l.kind = 'mailbox';
  perform lease.require_usable(_lease, _account);
  return _lease;
end $$;

create or replace function mailbox.lock(_account uuid, _id uuid) returns svc.lease language plpgsql as $$
declare
  _lease svc.lease;
begin
  select * into _lease from svc.lease l where l.id = _id and l.kind = 'mailbox' for no key update;
  perform lease.require_usable(_lease, _account);
  return _lease;
end $$;

create or replace function mailbox.read(_account uuid, _id uuid) returns json language sql stable as $$
  select mailbox.view(mailbox.find(_account, _id))
$$;

create or replace function mailbox.list(_account uuid, _limit integer, _offset integer) returns json
language sql stable as $$
  select coalesce(json_agg(mailbox.view(l) order by l.created_at desc, l.id), '[]')
  from (select * from svc.lease l where l.account_id = _account and l.kind = 'mailbox' and l.ended_at is null
    and l.expires_at > now() order by l.created_at desc, l.id limit _limit offset _offset) l
$$;

create or replace function mailbox.remove(_account uuid, _id uuid) returns void language plpgsql as $$
declare
  _lease svc.lease := mailbox.lock(_account, _id);
begin
  perform lease.finish(array[_lease.id], true);
end $$;

-- From now on only the new token is accepted.
create or replace function mailbox.rotate_drop_token(_account uuid, _id uuid, _token_hash bytea) returns json language plpgsql as $$
declare
  _lease svc.lease := mailbox.lock(_account, _id);
begin
  update svc.lease set drop_token_hash = _token_hash, version = version + 1, updated_at = now() where id = _lease.id
    returning * into _lease;
  return mailbox.view(_lease);
end $$;

-- What a drop must know before its body is read.
create or replace function mailbox.read_drop_terms(_token_hash bytea) returns json language plpgsql stable as $$
declare
  _lease svc.lease;
begin
  select * into _lease from svc.lease l where l.drop_token_hash = _token_hash;
  perform lease.require_usable(_lease, _lease.account_id);
  return json_build_object('id', _lease.id, 'max_message_bytes', _lease.max_body_bytes, 'drop_rate', _lease.drop_rate,
    'allowed_content_types', _lease.content_types);
end $$;

-- Takes a message if there is room for it. The mailbox stays locked meanwhile, so that messages that arrive together cannot
-- exceed it. A repeat under the same key takes nothing.
create or replace function mailbox.drop_message(_token_hash bytea, _body bytea, _type text, _filename text, _key text)
returns json language plpgsql as $$
declare
  _lease svc.lease;
  _message svc.mailbox_message;
begin
  select * into _lease from svc.lease l where l.drop_token_hash = _token_hash for no key update;
  perform lease.require_usable(_lease, _lease.account_id);
  select * into _message from svc.mailbox_message m where m.lease_id = _lease.id and m.idempotency_key = _key;
  if found then
    if _message.body <> _body then
      raise exception 'IDEMPOTENCY_CONFLICT' using errcode = 'SVC01';
    end if;
    return mailbox.view_receipt(_lease, _message)::jsonb || '{"is_replay": true}';
  end if;
  perform mailbox.require_room(_lease, octet_length(_body));
  update svc.lease set used_bytes = used_bytes + octet_length(_body), message_count = message_count + 1,
    sequence = sequence + 1 where id = _lease.id returning * into _lease;
  insert into svc.mailbox_message (lease_id, id, body, size_bytes, sha256, content_type, filename, idempotency_key, received_at)
    values (_lease.id, (lpad(to_hex(_lease.sequence), 8, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 9))::uuid,
      _body, octet_length(_body), sha256(_body), _type, _filename, _key, clock_timestamp())
    returning * into _message;
  if _lease.has_webhook then
    perform webhook.emit(array[row(_lease.account_id, _lease.id, 'mailbox.message', _message.id,
      json_build_object('event', 'mailbox.message', 'lease_id', lease.format_id('lse_', _lease.id),
        'message_id', lease.format_id('msg_', _message.id), 'received_at', lease.format_time(_message.received_at),
        'size_bytes', _message.size_bytes, 'content_type', _type, 'filename', _filename,
        'sha256', encode(_message.sha256, 'hex'), 'used_bytes', _lease.used_bytes,
        'capacity_bytes', _lease.capacity_bytes))::svc.webhook_emission]);
  end if;
  return mailbox.view_receipt(_lease, _message);
end $$;

create or replace function mailbox.require_room(_lease svc.lease, _bytes integer) returns void language plpgsql immutable as $$
begin
  if _bytes > _lease.max_body_bytes then
    raise exception 'BODY_TOO_LARGE' using errcode = 'SVC01',
      detail = json_build_object('max_message_bytes', _lease.max_body_bytes)::text;
  elsif _lease.message_count >= _lease.max_messages then
    raise exception 'MESSAGE_COUNT_EXCEEDED' using errcode = 'SVC01',
      detail = json_build_object('limit', _lease.max_messages)::text;
  elsif _lease.used_bytes + _bytes > _lease.capacity_bytes then
    raise exception 'MAILBOX_FULL' using errcode = 'SVC01', detail = json_build_object('limit', _lease.capacity_bytes,
      'remaining_bytes', _lease.capacity_bytes - _lease.used_bytes)::text;
  end if;
end $$;

create or replace function mailbox.view_receipt(_lease svc.lease, _message svc.mailbox_message) returns json
language sql stable as $$
  select json_build_object('status', 'accepted', 'message_id', lease.format_id('msg_', _message.id),
    'received_at', lease.format_time(_message.received_at), 'size_bytes', _message.size_bytes,
    'remaining_bytes', _lease.capacity_bytes - _lease.used_bytes,
    'remaining_messages', _lease.max_messages - _lease.message_count, 'expires_at', lease.format_time(_lease.expires_at))
$$;

-- Messages in the order of their arrival, after one of them; it need not exist any more.
create or replace function mailbox.list_messages(_account uuid, _id uuid, _after uuid, _is_unread boolean, _limit integer)
returns json language plpgsql stable as $$
declare
  _lease svc.lease := mailbox.find(_account, _id);
  _items json;
begin
  select json_agg(json_build_object('id', lease.format_id('msg_', m.id), 'received_at', lease.format_time(m.received_at),
      'size_bytes', m.size_bytes, 'content_type', m.content_type, 'filename', m.filename,
      'sha256', encode(m.sha256, 'hex'), 'read_at', lease.format_time(m.read_at)) order by m.id) into _items
    from (select * from svc.mailbox_message m where m.lease_id = _lease.id and (_after is null or m.id > _after)
      and (not _is_unread or m.read_at is null) order by m.id limit _limit + 1) m;
  return json_build_object('items', coalesce(_items, '[]'), 'used_bytes', _lease.used_bytes,
    'capacity_bytes', _lease.capacity_bytes, 'count', _lease.message_count, 'expires_at', lease.format_time(_lease.expires_at));
end $$;

-- One message; reading it marks it as read.
create or replace function mailbox.read_message(_account uuid, _id uuid, _message uuid, _is_marked boolean)
returns table (body bytea, content_type text, filename text, sha256 text, received_at timestamptz, expires_at timestamptz)
language plpgsql as $$
declare
  _lease svc.lease := mailbox.find(_account, _id);
begin
  if _is_marked then
    update svc.mailbox_message m set read_at = clock_timestamp()
      where m.lease_id = _id and m.id = _message and m.read_at is null;
  end if;
  return query select m.body, m.content_type, m.filename, encode(m.sha256, 'hex'), m.received_at, _lease.expires_at
    from svc.mailbox_message m where m.lease_id = _id and m.id = _message;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
end $$;

-- Deletes a message, which makes room for others.
create or replace function mailbox.remove_message(_account uuid, _id uuid, _message uuid) returns void language plpgsql as $$
declare
  _lease svc.lease := mailbox.lock(_account, _id);
  _freed integer;
begin
  delete from svc.mailbox_message where lease_id = _id and id = _message returning size_bytes into _freed;
  if _freed is null then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  update svc.lease set used_bytes = used_bytes - _freed, message_count = message_count - 1 where id = _lease.id;
end $$;
