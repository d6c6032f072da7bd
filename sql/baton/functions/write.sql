-- Adds an entry to a baton that is locked, or replaces the one it has. The bytes are in `_content`, or in the object store
-- under a key that was reserved for them.
create or replace function baton.put_entry(_baton svc.baton, _writer text, _content bytea, _written json) returns svc.baton_entry
language plpgsql as $$
declare
  _entry svc.baton_entry;
  _is_log boolean := baton.is_log(_baton);
begin
  _entry.baton_id := _baton.id;
  _entry.seq := _baton.entry_count + 1;
  _entry.start_byte := case when _is_log then _baton.stored_bytes else 0 end;
  _entry.size_bytes := (_written ->> 'size')::bigint;
  _entry.object_key := _written ->> 'key';
  _entry.content := case when _entry.object_key is null then _content end;
  _entry.content_type := _written ->> 'type';
  _entry.sha256 := decode(_written ->> 'sha256', 'hex');
  _entry.writer := _writer;
  _entry.created_at := date_trunc('milliseconds', clock_timestamp());
  if _entry.start_byte + _entry.size_bytes > _baton.size_bytes then
    perform baton.refuse('QUOTA_EXHAUSTED', json_build_object('quota', 'size',
      'leftBytes', (_baton.size_bytes - _entry.start_byte)::text));
  end if;
  if _baton.behaviour = 'chained' then
    _entry.prev := _baton.chain_head;
    _entry.hash := baton.hash_entry(_entry);
  end if;
  if _entry.object_key is not null then
    update svc.object set expires_at = 'infinity', size_bytes = _entry.size_bytes
      where key = _entry.object_key and kind = 'baton' and expires_at > now();
    if not found then
      perform baton.refuse('INPUT_GONE');
    end if;
  end if;
  if not _is_log then
    -- A read of the former content may still be under way.
    update svc.object o set expires_at = baton.find_removal_time(o.key, '10 minutes')
      where o.key in (select e.object_key from svc.baton_entry e where e.baton_id = _baton.id and e.object_key is not null);
    delete from svc.baton_entry where baton_id = _baton.id;
  end if;
  insert into svc.baton_entry select _entry.*;
  update svc.baton set entry_count = _entry.seq, stored_bytes = _entry.start_byte + _entry.size_bytes,
    content_type = _entry.content_type, chain_head = coalesce(_entry.hash, chain_head),
    writes_used = _baton.writes_used, minute = _baton.minute,
    minute_reads = _baton.minute_reads, minute_writes = _baton.minute_writes where id = _baton.id;
  if _baton.upload_key is not null and not _is_log then
    -- What was to be uploaded would have been replaced by this. A log still takes it, after this.
    perform baton.forget_upload(_baton);
  end if;
  insert into svc.baton_log (baton_id, type, writer, details) values (_baton.id, 'written', _writer,
    json_strip_nulls(json_build_object('seq', _entry.seq, 'bytes', _entry.size_bytes, 'upload', _written ->> 'upload',
      'sha256', case when _written ->> 'upload' is not null then _written ->> 'sha256' end)));
  perform baton.wake_tails(_baton);
  return _entry;
end $$;

-- SHA-256 over the canonical JSON (RFC 8785) of the entry's header: the keys in order, no spaces.
create or replace function baton.hash_entry(_entry svc.baton_entry) returns bytea language sql stable as $$
  select sha256(convert_to(format(
    '{"baton_id":"%s","content_sha256":"%s","content_type":%s,"prev":"%s","seq":%s,"size":%s,"ts":"%s","v":1,"writer":"%s"}',
    _entry.baton_id, encode(_entry.sha256, 'hex'), to_json(_entry.content_type), encode(_entry.prev, 'hex'), _entry.seq,
    _entry.size_bytes, baton.format_time(_entry.created_at), _entry.writer), 'UTF8'))
$$;

-- The `prev` of the first entry binds the chain to its baton.
create or replace function baton.hash_origin(_id uuid, _created_at timestamptz) returns bytea language sql stable as $$
  select sha256(convert_to(format('{"baton_id":"%s","created_at":"%s","v":1}', _id, baton.format_time(_created_at)), 'UTF8'))
$$;

create or replace function baton.format_time(_time timestamptz) returns text language sql stable as $$
  select to_char(_time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Records bytes that are about to be put into the object store. Unless an entry takes them over, they are removed later.
create or replace function baton.reserve(_account uuid, _key text, _size bigint, _type text, _until timestamptz) returns void language sql as $$
  insert into svc.object (key, account_id, kind, size_bytes, content_type, expires_at)
    values (_key, _account, 'baton', _size, _type, coalesce(_until, now() + interval '2 hours'))
$$;

create or replace function baton.write(_by json, _content bytea, _written json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'write');
  _baton svc.baton := _visit.baton;
  _token svc.baton_token := _visit.token;
  _entry svc.baton_entry;
  _earlier json := baton.find_write(_baton.id, _visit.writer, _written -> 'idempotency');
begin
  perform baton.require_entries(_baton);
  if _earlier is not null then
    return json_build_object('entry', _earlier, 'quotas', baton.show_quotas(_baton), 'isReplay', true);
  end if;
  perform baton.require_adopted(_baton, _by);
  perform baton.require_version(_baton, _written -> 'condition');
  perform baton.require_writable(_baton, _token, _written);
  _baton := baton.count_minute(_baton, 'write');
  _baton.writes_used := _baton.writes_used + 1;
  _entry := baton.put_entry(_baton, _visit.writer, _content, _written);
  _baton.stored_bytes := _entry.start_byte + _entry.size_bytes;
  perform baton.emit(_baton, 'baton.written', json_build_object('baton_id', _baton.id, 'seq', _entry.seq,
    'writer', _entry.writer, 'sizeBytes', _entry.size_bytes));
  if _token.hash is not null then
    update svc.baton_token set writes_used = writes_used + 1 where hash = _token.hash returning * into _token;
    perform baton.note_token_use(_baton, _token, 'write', _token.writes_used = _token.max_writes);
  end if;
  if _written -> 'idempotency' is not null then
    insert into svc.baton_write (baton_id, writer, key, fingerprint, entry)
      values (_baton.id, _visit.writer, _written #>> '{idempotency,key}', decode(_written #>> '{idempotency,fingerprint}', 'hex'),
        baton.show_entry(_entry))
      on conflict (baton_id, writer, key) do update
      set fingerprint = excluded.fingerprint, entry = excluded.entry, created_at = now();
  end if;
  return json_build_object('entry', baton.show_entry(_entry), 'quotas', baton.show_quotas(_baton), 'isReplay', false);
end $$;

-- The entry that a writer has written under the same key already.
create or replace function baton.find_write(_baton uuid, _writer text, _idempotency json) returns json language plpgsql stable as $$
declare
  _found svc.baton_write;
begin
  if _idempotency is null then
    return null;
  end if;
  select * into _found from svc.baton_write w where w.baton_id = _baton and w.writer = _writer
    and w.key = _idempotency ->> 'key' and w.created_at > now() - interval '24 hours';
  if found and _found.fingerprint <> decode(_idempotency ->> 'fingerprint', 'hex') then
    perform baton.refuse('IDEMPOTENCY_CONFLICT');
  end if;
  return _found.entry;
end $$;

-- Refuses a change that expects another last entry than there is. The tag of a baton is the number of that entry; one without
-- entries has none.
create or replace function baton.require_version(_baton svc.baton, _condition json) returns void language plpgsql stable as $$
declare
  _tags text[] := case when _baton.entry_count > 0 then array['*', _baton.entry_count::text] else '{}' end;
begin
  if _tags && baton.read_list(_condition -> 'noneMatch')
    or _condition -> 'match' is not null and not _tags && baton.read_list(_condition -> 'match') then
    perform baton.refuse('VERSION_CONFLICT', json_build_object('currentSeq', _baton.entry_count));
  end if;
end $$;

create or replace function baton.require_writable(_baton svc.baton, _token svc.baton_token, _written json) returns void
language plpgsql as $$
begin
  if _baton.witnessed_at is not null then
    perform baton.refuse('BATON_FROZEN', json_build_object('witnessedAt', _baton.witnessed_at));
  end if;
  if (_written ->> 'overwrite')::boolean and _baton.behaviour in ('append', 'chained') then
    if _baton.behaviour = 'chained' then
      perform baton.refuse('CHAINED_OVERWRITE');
    end if;
    perform baton.refuse('INVALID_FIELD', json_build_object('field', 'overwrite', 'reason', 'A log is only appended to.'));
  end if;
  if not (_written ->> 'text')::boolean and _baton.behaviour <> 'single' then
    perform baton.refuse('INVALID_PARAM', json_build_object('field', 'contentEncoding', 'allowed', json_build_array('utf-8')));
  end if;
  if _baton.writes_used >= _baton.max_writes then
    perform baton.refuse('QUOTA_EXHAUSTED', json_build_object('quota', 'writes'));
  end if;
  if _token.writes_used >= _token.max_writes then
    perform baton.refuse('QUOTA_EXHAUSTED', json_build_object('quota', 'token writes'));
  end if;
end $$;
