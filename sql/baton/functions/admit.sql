create or replace function baton.refuse(_code text, _hints json default null) returns void language plpgsql as $$
begin
  raise exception '%', _code using errcode = 'SVC01', detail = coalesce(_hints, '{}')::text;
end $$;

-- Locks a baton and admits a caller who may `read`, `write` or `own` it. Everything that uses a baton does this first, so the
-- uses of one baton come one after the other and its quotas are exact.
create or replace function baton.admit(_by json, _action text) returns svc.baton_visit language plpgsql as $$
declare
  _baton svc.baton;
  _token svc.baton_token;
  _id uuid := (_by ->> 'baton')::uuid;
  _account text := _by ->> 'account';
  _role text;
begin
  if _id is null then
    -- Calls with a token that is used up do not queue for the lock of those that are served.
    select * into _token from svc.baton_token t where t.hash = decode(_by ->> 'token', 'hex');
    _id := _token.baton_id;
    if _action = 'read' and _token.reads_used >= _token.max_reads
      and exists (select from svc.baton b where b.id = _id and b.deleted_at is null and b.expires_at > clock_timestamp()) then
      perform baton.admit_token(_token, _by, _action);
      perform baton.refuse('QUOTA_EXHAUSTED', json_build_object('quota', 'token reads'));
    end if;
  end if;
  select * into _baton from svc.baton where id = _id for no key update;
  if not found then
    perform baton.refuse('NOT_FOUND');
  end if;
  if _by ->> 'token' is not null then
    select * into _token from svc.baton_token where hash = decode(_by ->> 'token', 'hex');
    perform baton.require_active(_baton);
    return row(_baton, baton.admit_token(_token, _by, _action), 'token:' || _token.id)::svc.baton_visit;
  end if;
  _role := baton.require_role(_baton, _account, _action);
  perform baton.require_active(_baton);
  return row(_baton, null, case when _role = 'owner' then _role else 'account:' || _account end)::svc.baton_visit;
end $$;

-- A vector baton has vectors instead of entries.
create or replace function baton.require_entries(_baton svc.baton) returns void language plpgsql as $$
begin
  if _baton.behaviour = 'vectors' then
    perform baton.refuse('PRESET_MISMATCH', json_build_object('preset', _baton.preset, 'reason',
      'It holds vectors; write to /vectors and ask /vectors/query.'));
  end if;
end $$;

-- What an account is to a baton: its owner, an editor or a reader. To others it does not exist.
create or replace function baton.require_role(_baton svc.baton, _account text, _action text) returns text language plpgsql as $$
declare
  _role text := case when _baton.account_id::text = _account then 'owner' else _baton.acl ->> _account end;
begin
  if _role is null then
    perform baton.refuse('NOT_FOUND');
  end if;
  if (_role <> 'owner' and _action = 'own') or (_role = 'reader' and _action = 'write') then
    perform baton.refuse('FORBIDDEN', json_build_object('role', _role));
  end if;
  return _role;
end $$;

create or replace function baton.require_active(_baton svc.baton) returns void language plpgsql as $$
begin
  if _baton.deleted_at is not null or _baton.expires_at <= clock_timestamp() then
    perform baton.refuse('GONE', json_build_object('reason', coalesce(_baton.deletion, 'expired')));
  end if;
end $$;

-- Checks a token, and binds it to the fingerprint of its first use if it needs one.
create or replace function baton.admit_token(_token svc.baton_token, _by json, _action text) returns svc.baton_token
language plpgsql as $$
declare
  _given bytea := decode(_by ->> 'fingerprint', 'hex');
begin
  if _token.revoked_at is not null or _token.expires_at <= clock_timestamp() then
    perform baton.refuse('GONE', json_build_object('reason',
      case when _token.revoked_at is null then 'token expired' else 'token revoked' end));
  end if;
  if _action = 'own' or _token.type not in (_action, 'read_write') then
    perform baton.refuse('FORBIDDEN', json_build_object('reason', 'The token does not allow this.'));
  end if;
  if cardinality(_token.ip_allow) > 0 and not coalesce((_by ->> 'ip')::inet <<= any (_token.ip_allow), false) then
    perform baton.refuse('FORBIDDEN', json_build_object('reason', 'The token does not allow this address.'));
  end if;
  if _token.needs_fingerprint then
    if _given is null or _given <> _token.fingerprint then
      perform baton.refuse('FORBIDDEN', json_build_object('reason', 'The token needs the X-Service-Fingerprint of its first use.'));
    end if;
    if _token.fingerprint is null then
      update svc.baton_token set fingerprint = _given where hash = _token.hash;
    end if;
  end if;
  return _token;
end $$;

-- Refuses a read of so many bytes that the quotas do not cover.
create or replace function baton.require_readable(_baton svc.baton, _token svc.baton_token, _bytes bigint) returns void
language plpgsql stable as $$
begin
  if _baton.egress_used + _bytes > _baton.egress_bytes then
    perform baton.refuse('QUOTA_EXHAUSTED', json_build_object('quota', 'egress', 'neededBytes', _bytes::text,
      'leftBytes', (_baton.egress_bytes - _baton.egress_used)::text));
  end if;
  if _baton.reads_used >= _baton.max_reads then
    perform baton.refuse('QUOTA_EXHAUSTED', json_build_object('quota', 'reads'));
  end if;
  if _token.reads_used >= _token.max_reads then
    perform baton.refuse('QUOTA_EXHAUSTED', json_build_object('quota', 'token reads'));
  end if;
end $$;

-- Draws a read of so many bytes from the quotas, and deletes the baton if that was the last read of its last token and it burns.
create or replace function baton.consume_read(_visit svc.baton_visit, _bytes bigint) returns svc.baton language plpgsql as $$
declare
  _baton svc.baton := _visit.baton;
  _token svc.baton_token := _visit.token;
begin
  _baton := baton.count_minute(_baton, 'read');
  perform baton.require_readable(_baton, _token, _bytes);
  update svc.baton set reads_used = reads_used + 1, egress_used = egress_used + _bytes, minute = _baton.minute,
    minute_reads = _baton.minute_reads, minute_writes = _baton.minute_writes where id = _baton.id returning * into _baton;
  insert into svc.baton_log (baton_id, type, writer, details)
    values (_baton.id, 'read', _visit.writer, json_build_object('bytes', _bytes));
  if _token.hash is not null then
    update svc.baton_token set reads_used = reads_used + 1 where hash = _token.hash returning * into _token;
    perform baton.note_token_use(_baton, _token, 'read', _token.reads_used = _token.max_reads);
    perform baton.end_reads(_baton, _token);
  end if;
  return _baton;
end $$;

-- Counts what a read covers, if its token has a cap. A range that leaves bytes to be read draws these bytes alone; all bytes of an
-- entry together are one read. Returns whether that is complete.
create or replace function baton.cover(_token svc.baton_token, _seq bigint, _first bigint, _last bigint, _total bigint) returns boolean
language plpgsql as $$
declare
  _covered int8multirange;
begin
  if _token.max_reads is null or _total = 0 then
    return true;
  end if;
  _covered := coalesce(case when _token.covered_seq = _seq then _token.covered end, '{}')
    + int8multirange(int8range(_first, _last, '[]'));
  if _covered @> int8range(0, _total) then
    _covered := null;
  end if;
  if _covered is not null or _token.covered is not null then
    update svc.baton_token set covered = _covered, covered_seq = _seq where hash = _token.hash;
  end if;
  return _covered is null;
end $$;

-- Draws the bytes of such a range. That the token can still read is checked as for a whole read.
create or replace function baton.consume_part(_visit svc.baton_visit, _bytes bigint) returns svc.baton language plpgsql as $$
declare
  _baton svc.baton := baton.count_minute(_visit.baton, 'read');
begin
  perform baton.require_readable(_baton, _visit.token, _bytes);
  update svc.baton set egress_used = egress_used + _bytes, minute = _baton.minute,
    minute_reads = _baton.minute_reads, minute_writes = _baton.minute_writes where id = _baton.id returning * into _baton;
  insert into svc.baton_log (baton_id, type, writer, details)
    values (_baton.id, 'read.part', _visit.writer, json_build_object('bytes', _bytes));
  return _baton;
end $$;

create or replace function baton.note_token_use(_baton svc.baton, _token svc.baton_token, _use text, _is_exhausted boolean)
returns void language plpgsql as $$
begin
  perform baton.emit(_baton, 'token.used', json_build_object('baton_id', _baton.id, 'token_id', _token.id, 'use', _use));
  if _is_exhausted then
    perform baton.note_exhausted(_baton, _token, _use, 'token:' || _token.id);
  end if;
end $$;

create or replace function baton.note_exhausted(_baton svc.baton, _token svc.baton_token, _use text, _writer text)
returns void language plpgsql as $$
begin
  perform baton.emit(_baton, 'token.exhausted', json_build_object('baton_id', _baton.id, 'token_id', _token.id, 'use', _use));
  insert into svc.baton_log (baton_id, type, writer, details) values (_baton.id, 'token.exhausted', _writer,
    json_build_object('token_id', _token.id, 'use', _use));
end $$;

create or replace function baton.emit(_baton svc.baton, _event text, _payload json) returns void language plpgsql as $$
begin
  if exists (select from svc.webhook_endpoint e where e.target_id = _baton.id and e.deleted_at is null) then
    perform webhook.emit(array[row(_baton.account_id, _baton.id, _event, _baton.id, _payload)::svc.webhook_emission]);
  end if;
end $$;

create or replace function baton.end_reads(_baton svc.baton, _token svc.baton_token) returns void language plpgsql as $$
begin
  if _token.reads_used = _token.max_reads then
    perform baton.end_tokens(_baton, 'token:' || _token.id);
  end if;
end $$;

-- After a token was used up or revoked: whether any token can still read. Tokens that are revoked or over do not count.
create or replace function baton.end_tokens(_baton svc.baton, _writer text) returns void language plpgsql as $$
begin
  if exists (select from svc.baton_token t
      where t.baton_id = _baton.id and t.type <> 'write' and t.revoked_at is null
        and coalesce(t.expires_at > clock_timestamp(), true) and (t.max_reads is null or t.reads_used < t.max_reads)) then
    return;
  end if;
  perform baton.emit(_baton, 'pass.all_tokens_consumed', json_build_object('baton_id', _baton.id));
  if _baton.burns then
    -- Its content is removed a little later, because the last read may still be under way.
    update svc.baton set deleted_at = clock_timestamp(), deletion = 'burned', purge_at = now() + interval '10 minutes'
      where id = _baton.id;
    insert into svc.baton_log (baton_id, type, writer) values (_baton.id, 'burned', _writer);
    perform baton.wake_tails(_baton);
  end if;
end $$;

-- Counts a use against the limit per minute that the owner has set.
create or replace function baton.count_minute(_baton svc.baton, _use text) returns svc.baton language plpgsql as $$
declare
  _now numeric := extract(epoch from clock_timestamp());
begin
  if _baton.minute <> floor(_now / 60)::bigint then
    _baton.minute := floor(_now / 60)::bigint;
    _baton.minute_reads := 0;
    _baton.minute_writes := 0;
  end if;
  if _use = 'read' then
    _baton.minute_reads := _baton.minute_reads + 1;
  else
    _baton.minute_writes := _baton.minute_writes + 1;
  end if;
  if _baton.minute_reads > _baton.max_reads_per_minute or _baton.minute_writes > _baton.max_writes_per_minute then
    perform baton.refuse('RATE_LIMITED', json_build_object('retryAfterSeconds', 60 - floor(_now)::bigint % 60));
  end if;
  return _baton;
end $$;

-- Announces a change to those who wait for it. Without a listener nothing is sent, because notifications serialize commits.
create or replace function baton.wake_tails(_baton svc.baton) returns void language plpgsql as $$
begin
  if _baton.tailed_until > clock_timestamp() then
    perform pg_notify('baton_changed', _baton.id::text);
  end if;
end $$;
