-- What the holder of a link may see. Another browser than the one that began sees nothing.
create or replace function idverify.find_session(_token bytea, _session bytea) returns svc.idverify language plpgsql as $$
declare
  _row svc.idverify;
begin
  select * into _row from svc.idverify where token_hash = _token for no key update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  elsif _row.session_hash is distinct from _session and (_row.session_hash is not null or idverify.is_over(_row.state)) then
    raise exception 'SESSION_USED' using errcode = 'SVC01';
  elsif _row.expires_at <= now() and _row.state in ('created', 'started') and _row.reading_since is null then
    raise exception 'GONE' using errcode = 'SVC01';
  end if;
  return _row;
end $$;

create or replace function idverify.show_session(_row svc.idverify) returns json language sql stable as $$
  select json_build_object('id', _row.id, 'accountId', _row.account_id, 'type', _row.type, 'status', _row.state,
    'locale', _row.locale, 'decision', _row.decision, 'documentTypes', _row.terms -> 'documentTypes', 'challenge', _row.challenge,
    'reasonCodes', _row.reason_codes, 'attemptsLeft', _row.max_attempts - _row.attempts, 'reading', _row.reading_since is not null,
    'isInUse', _row.session_hash is not null, 'provider', _row.provider, 'providerUrl', _row.provider_url,
    'subject', _row.subject, 'redirectUrl', _row.redirect_url, 'retentionDays', _row.retention_days,
    'expiresAt', _row.expires_at)
$$;

create or replace function idverify.read_session(_token bytea, _session bytea) returns json language sql volatile as $$
  select idverify.show_session(idverify.find_session(_token, _session))
$$;

-- The first browser that begins is the one that can go on.
create or replace function idverify.begin_session(_token bytea, _session bytea) returns json language plpgsql as $$
declare
  _row svc.idverify := idverify.find_session(_token, _session);
begin
  perform idverify.refuse_if_over(_row);
  update svc.idverify set session_hash = _session where id = _row.id;
  if _row.state = 'created' then
    perform idverify.move(_row.id, 'started', 'person', '{}');
  end if;
  return idverify.read_session(_token, _session);
end $$;

-- Records bytes that are about to be stored. Unless a verification takes them over, they are removed later.
create or replace function idverify.reserve_image(_account uuid, _key text, _type text) returns void language sql as $$
  insert into svc.object (key, account_id, kind, content_type, expires_at)
    values (_key, _account, 'identity', _type, now() + interval '2 hours')
$$;

create or replace function idverify.submit(_token bytea, _session bytea, _images json) returns json language plpgsql as $$
declare
  _row svc.idverify := idverify.find_session(_token, _session);
begin
  perform idverify.refuse_if_over(_row);
  if _row.session_hash is null or _row.state <> 'started' or _row.reading_since is not null or _row.provider is not null then
    raise exception 'IMAGES_NOT_EXPECTED' using errcode = 'SVC01', detail = json_build_object('status', _row.state)::text;
  end if;
  perform idverify.take_images(_row.id, _images);
  return idverify.read_session(_token, _session);
end $$;

-- Counts an attempt and queues the reading of its images.
create or replace function idverify.take_images(_id uuid, _images json) returns void language plpgsql as $$
declare
  _row svc.idverify;
begin
  update svc.idverify set attempts = attempts + 1, reading_since = now(), updated_at = now() where id = _id returning * into _row;
  update svc.object set expires_at = 'infinity', size_bytes = (i ->> 'size')::bigint
    from json_array_elements(_images) i where key = i ->> 'key' and kind = 'identity' and expires_at > now();
  insert into svc.idverify_image (id, verification_id, attempt, side, object_key, content_type, size_bytes)
    select (i ->> 'id')::uuid, _id, _row.attempts, i ->> 'side', i ->> 'key', i ->> 'type', (i ->> 'size')::integer
    from json_array_elements(_images) i;
  perform audit.append('idverify', _id, _row.account_id, 'person', 'images_sent', json_build_object('attempt', _row.attempts)::jsonb);
  perform step.queue('idverify.check', json_build_object('id', _id, 'attempt', _row.attempts), now(), _id::text);
  perform pg_notify('long_polls', 'idverify ' || _id);
end $$;
