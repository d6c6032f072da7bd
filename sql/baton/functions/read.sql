-- Reads a baton, or one entry of it. What is read is drawn from the quotas before a byte leaves; a read that would pass a quota is
-- refused. A log is read as one text; of a long one `baton.list_pieces` has the bytes.
create or replace function baton.read(_by json, _ask json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'read');
  _baton svc.baton := _visit.baton;
  _entry svc.baton_entry;
  _is_log boolean := baton.is_log(_baton) and _ask ->> 'seq' is null;
  _seq bigint := coalesce((_ask ->> 'seq')::bigint, _baton.entry_count);
  -- A range that goes on with another version is not one of this.
  _is_range boolean := (_ask ->> 'isRange')::boolean and coalesce(_ask ->> 'ifRange' = _seq::text, true);
  _total bigint;
  _first bigint := 0;
  _last bigint;
  _kind text;
  _content bytea;
  _is_whole boolean;
begin
  perform baton.require_entries(_baton);
  perform baton.require_adopted(_baton, _by);
  if _baton.entry_count = 0 and _ask ->> 'seq' is null then
    perform baton.refuse_empty(_baton);
  end if;
  if not _is_log then
    select * into _entry from svc.baton_entry e where e.baton_id = _baton.id and e.seq = _seq;
    if not found and _ask ->> 'seq' is not null then
      perform baton.refuse('NOT_FOUND', json_build_object('entry', _seq));
    end if;
  end if;
  _total := case when _is_log then _baton.stored_bytes else coalesce(_entry.size_bytes, 0) end;
  _last := _total - 1;
  if _is_range and _ask ->> 'first' is null then
    _first := greatest(0, _total - (_ask ->> 'last')::bigint);
  elsif _is_range then
    _first := (_ask ->> 'first')::bigint;
    _last := least(coalesce((_ask ->> 'last')::bigint, _last), _last);
  end if;
  _kind := case when baton.read_list(_ask -> 'known') && array['*', _seq::text] then 'unmodified'
    when _is_range and (_first >= _total or _last < _first) then 'unsatisfiable'
    when (_ask ->> 'isPeek')::boolean then 'peek'
    when _is_log and _total > 0 then 'log' else 'content' end;
  if _kind in ('log', 'content') then
    _is_whole := baton.cover(_visit.token, _seq, _first, _last, _total);
    if _is_whole then
      _baton := baton.consume_read(_visit, _last - _first + 1);
    else
      _baton := baton.consume_part(_visit, _last - _first + 1);
    end if;
    _content := case when _is_log then baton.join_log(_baton.id, _total, _first, _last - _first + 1)
      else substr(_entry.content, _first::integer + 1, (_last - _first + 1)::integer) end;
    _kind := case when _content is null then _kind else 'content' end;
    if _kind = 'log' then
      perform baton.keep_for_reader(_baton.id);
    end if;
  end if;
  return json_build_object('kind', _kind, 'batonId', _baton.id, 'accountId', _baton.account_id, 'seq', _seq,
    'contentType', coalesce(_entry.content_type, _baton.content_type, 'application/octet-stream'), 'total', _total::text,
    'first', _first::text, 'length', (_last - _first + 1)::text, 'content', encode(_content, 'hex'), 'key', _entry.object_key,
    'isRange', _is_range, 'isWhole', _is_whole, 'isCapped', (_visit.token).max_reads is not null, 'quotas', baton.show_quotas(_baton));
end $$;

-- Nothing is drawn of what is not there.
create or replace function baton.refuse_empty(_baton svc.baton) returns void language plpgsql as $$
begin
  perform baton.refuse('BATON_EMPTY', json_build_object('reason', case when _baton.upload_key is null then 'Nothing was written to it yet.'
    else 'The file that is to be uploaded to it has not arrived yet.' end));
end $$;

-- Takes back a range that was broken off, but not the bytes of it that were sent.
create or replace function baton.return_part(_by json, _id uuid, _bytes bigint, _first bigint, _last bigint) returns void
language plpgsql as $$
begin
  update svc.baton set egress_used = greatest(0, egress_used - _bytes) where id = _id;
  update svc.baton_token set covered = covered - int8multirange(int8range(_first, _last, '[]'))
    where hash = decode(_by ->> 'token', 'hex') and baton_id = _id;
end $$;

-- Takes back a read that was broken off, or whose bytes the object store did not give: what burned by it is there again, and bytes
-- that were not sent cost nothing.
create or replace function baton.return_read(_by json, _id uuid, _bytes bigint) returns void language plpgsql as $$
declare
  _baton svc.baton;
begin
  select * into _baton from svc.baton where id = _id and reads_used > 0 and egress_used >= _bytes for no key update;
  if not found then
    return;
  end if;
  update svc.baton_token set reads_used = reads_used - 1
    where hash = decode(_by ->> 'token', 'hex') and baton_id = _id and reads_used > 0;
  update svc.baton set reads_used = reads_used - 1, egress_used = egress_used - _bytes where id = _id;
  if _baton.deletion = 'burned' and _baton.purge_at is not null then
    update svc.baton set deleted_at = null, deletion = null, purge_at = baton.find_purge_time(on_expiration, expires_at)
      where id = _id;
  end if;
  insert into svc.baton_log (baton_id, type, writer, details)
    values (_id, 'read.returned', 'service', json_build_object('bytes', _bytes));
end $$;

-- A range of a log that is short and has no entry in the object store; null of any other.
create or replace function baton.join_log(_baton uuid, _total bigint, _first bigint, _length bigint) returns bytea
language plpgsql stable as $$
begin
  if _total > 65536 then
    return null;
  end if;
  return (select case when count(*) = count(e.content) then
      substr(string_agg(e.content, ''::bytea order by e.seq), _first::integer + 1, _length::integer) end
    from svc.baton_entry e where e.baton_id = _baton);
end $$;

-- Some of the entries that a range of a log lies in, after one of them. Checks no caller: `baton.read` has drawn the range before.
create or replace function baton.list_pieces(_baton uuid, _after bigint, _first bigint, _last bigint)
returns table (seq bigint, start_byte bigint, size_bytes bigint, content bytea, object_key text) language sql stable as $$
  select e.seq, e.start_byte, e.size_bytes, e.content, e.object_key from svc.baton_entry e
  where e.baton_id = _baton and e.seq > _after and e.start_byte <= _last and e.start_byte + e.size_bytes > _first
  order by e.seq limit 100
$$;

-- The same for a reader, for whom the rest is kept.
create or replace function baton.read_pieces(_baton uuid, _after bigint, _first bigint, _last bigint)
returns table (seq bigint, start_byte bigint, size_bytes bigint, content bytea, object_key text) language sql as $$
  select baton.keep_for_reader(_baton);
  select * from baton.list_pieces(_baton, _after, _first, _last)
$$;

-- Puts the removal of a log off that is due soon, while somebody reads it who began before its end. Nobody reads for longer than an
-- hour past it.
create or replace function baton.keep_for_reader(_baton uuid) returns void language sql as $$
  update svc.baton set read_until = now() + interval '5 minutes'
    where id = _baton and purge_at between now() - interval '1 hour' and now() + interval '5 minutes'
      and coalesce(read_until, '-infinity') < now() + interval '4 minutes'
$$;

-- Lists entries, oldest first, with the content of small ones. Their bytes are drawn from the quotas.
create or replace function baton.list_entries(_by json, _filter json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'read');
  _baton svc.baton := _visit.baton;
  _found svc.baton_entry[];
begin
  perform baton.require_entries(_baton);
  perform baton.require_adopted(_baton, _by);
  _found := array(select e from svc.baton_entry e where e.baton_id = _baton.id
      and (_filter ->> 'sinceSeq' is null or e.seq > (_filter ->> 'sinceSeq')::bigint)
      and (_filter ->> 'sinceTime' is null or e.created_at >= (_filter ->> 'sinceTime')::timestamptz)
      and (_filter ->> 'untilTime' is null or e.created_at < (_filter ->> 'untilTime')::timestamptz)
      and (_filter ->> 'writer' is null or e.writer = _filter ->> 'writer')
      and (_filter ->> 'type' is null or e.content_type = _filter ->> 'type')
    order by e.seq limit (_filter ->> 'limit')::integer offset (_filter ->> 'offset')::integer);
  if cardinality(_found) > 0 then
    _baton := baton.consume_read(_visit, (select coalesce(sum(octet_length(e.content)), 0) from unnest(_found) e));
  elsif _filter ->> 'tailSeconds' is not null then
    update svc.baton b set tailed_until = greatest(b.tailed_until,
      clock_timestamp() + make_interval(secs => (_filter ->> 'tailSeconds')::double precision)) where b.id = _baton.id;
  end if;
  return json_build_object('batonId', _baton.id, 'quotas', baton.show_quotas(_baton), 'last', _baton.entry_count, 'entries', (
    select coalesce(json_agg(json_build_object('entry', baton.show_entry(e::svc.baton_entry), 'content', encode(e.content, 'base64'))
      order by e.seq), '[]') from unnest(_found) e));
end $$;

-- Everything that was done with a baton, for its owner.
create or replace function baton.list_logs(_by json, _filter json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'own');
  _baton svc.baton := _visit.baton;
begin
  return (select coalesce(json_agg(json_strip_nulls(json_build_object('id', l.id::text, 'type', l.type, 'writer', l.writer,
      'createdAt', l.created_at, 'details', l.details)) order by l.id), '[]')
    from (select * from svc.baton_log b where b.baton_id = _baton.id
      and (_filter ->> 'sinceSeq' is null or b.id > (_filter ->> 'sinceSeq')::bigint)
      and (_filter ->> 'sinceTime' is null or b.created_at >= (_filter ->> 'sinceTime')::timestamptz)
      and (_filter ->> 'untilTime' is null or b.created_at < (_filter ->> 'untilTime')::timestamptz)
      and (_filter ->> 'writer' is null or b.writer = _filter ->> 'writer')
      and (_filter ->> 'type' is null or b.type = _filter ->> 'type')
      order by b.id limit (_filter ->> 'limit')::integer offset (_filter ->> 'offset')::integer) l);
end $$;
