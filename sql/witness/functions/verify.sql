-- Decision 0091: check chains in the database.

-- What anyone who knows a baton may see of it: its record. A token in the place of the id must allow reading.
create or replace function witness.read_proof(_by json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit;
  _baton svc.baton;
  _id uuid := (_by ->> 'baton')::uuid;
  _record svc.witness;
begin
  if _by ->> 'token' is not null then
    _visit := baton.admit(_by, 'read');
    _baton := _visit.baton;
    _id := _baton.id;
  end if;
  select * into _record from svc.witness where baton_id = _id;
  if found then
    return json_build_object('statement', _record.statement, 'jws', _record.jws);
  end if;
  select * into _baton from svc.baton where id = _id;
  if not found then
    perform baton.refuse('NOT_FOUND');
  end if;
  if _baton.witnessed_at is not null then
    perform baton.refuse('GONE', json_build_object('reason', 'The record was kept for its time.'));
  end if;
  perform baton.refuse('NOT_WITNESSED');
end $$;

-- The headers of all entries in the form that is hashed, for a caller who may read the baton.
create or replace function witness.list_headers(_by json, _max integer) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'read');
  _baton svc.baton := _visit.baton;
begin
  if _baton.behaviour <> 'chained' then
    return null;
  end if;
  if _baton.entry_count > _max then
    perform baton.refuse('INPUT_TOO_LARGE', json_build_object('field', 'entries', 'entries', _baton.entry_count, 'ceiling', _max));
  end if;
  return witness.show_headers(_baton);
end $$;

create or replace function witness.show_headers(_baton svc.baton) returns json language sql stable as $$
  select json_build_object('created_at', baton.format_time(_baton.created_at), 'entries', (
    select coalesce(json_agg(json_build_object('v', 1, 'baton_id', e.baton_id, 'seq', e.seq, 'ts', baton.format_time(e.created_at),
      'writer', e.writer, 'content_type', e.content_type, 'size', e.size_bytes, 'content_sha256', encode(e.sha256, 'hex'),
      'prev', encode(e.prev, 'hex'), 'hash', encode(e.hash, 'hex')) order by e.seq), '[]')
    from svc.baton_entry e where e.baton_id = _baton.id))
$$;

-- The record of a ledger that a product keeps, with the headers of its entries as long as it has them; null without a record.
create or replace function witness.show_ledger(_id uuid) returns json language sql stable as $$
  select json_build_object('statement', w.statement, 'jws', w.jws, 'headers', (
      select witness.show_headers(b) from svc.baton b where b.id = _id and b.purge_at is not null))
    from svc.witness w where w.baton_id = _id
$$;

-- What the chain of a baton should be, for a caller who may read it.
create or replace function witness.read_chain(_by json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'read');
  _baton svc.baton := _visit.baton;
begin
  if _baton.behaviour <> 'chained' then
    perform baton.refuse('CHAIN_NOT_INITIALIZED', json_build_object('reason', 'The entries of this baton are not chained.'));
  end if;
  perform baton.require_adopted(_baton, _by);
  return json_build_object('batonId', _baton.id, 'entries', _baton.entry_count, 'size', _baton.stored_bytes,
    'head', encode(_baton.chain_head, 'hex'), 'origin', encode(baton.hash_origin(_baton.id, _baton.created_at), 'hex'),
    'isExact', not exists (select from svc.baton_entry e where e.baton_id = _baton.id and (e.seq < 1 or e.seq > _baton.entry_count)),
    'witnessedAt', _baton.witnessed_at,
    'record', (select json_build_object('statement', w.statement, 'jws', w.jws) from svc.witness w where w.baton_id = _baton.id));
end $$;

-- Checks the entries that follow on one that was checked, up to the last of the chain. The columns beside the hashed ones are
-- checked too: a time is hashed by the millisecond, and `start_byte` follows from the sizes. With `_is_full` the content is
-- hashed; what is in the object store is listed for the caller to hash.
create or replace function witness.check_entries(_baton uuid, _from json, _last bigint, _limit integer, _is_full boolean)
returns json language sql stable as $$
  with linked as (
    select e.seq, e.hash, e.start_byte + e.size_bytes as end_byte, e.object_key, e.size_bytes, e.sha256,
      case
        when e.seq <> lag(e.seq, 1, (_from ->> 'seq')::bigint) over w + 1 then 'order'
        when e.prev is distinct from lag(e.hash, 1, decode(_from ->> 'hash', 'hex')) over w then 'link'
        when not e.is_hashed then 'header'
        when e.start_byte <> lag(e.start_byte + e.size_bytes, 1, (_from ->> 'endByte')::bigint) over w then 'order'
        when not e.is_content then 'content' end as reason
    from (
      select c.seq, c.hash, c.prev, c.start_byte, c.size_bytes, c.object_key, c.sha256,
        c.hash is not distinct from baton.hash_entry(row(c.baton_id, c.seq, c.start_byte, c.size_bytes, null, null,
          c.content_type, c.sha256, c.writer, c.prev, c.hash, c.created_at)::svc.baton_entry)
          and c.created_at = date_trunc('milliseconds', c.created_at) as is_hashed,
        not _is_full or c.content is null or (sha256(c.content) = c.sha256 and octet_length(c.content) = c.size_bytes) as is_content
      from svc.baton_entry c
      where c.baton_id = _baton and c.seq > (_from ->> 'seq')::bigint and c.seq <= _last
      order by c.seq limit _limit) e
    window w as (order by e.seq)),
  final as (select * from linked order by seq desc limit 1)
  select json_build_object('count', (select count(*) from linked),
    'next', (select json_build_object('seq', seq, 'hash', encode(hash, 'hex'), 'endByte', end_byte) from final),
    'fault', (select json_build_object('seq', seq, 'reason', reason) from linked where reason is not null order by seq limit 1),
    'stored', (select coalesce(json_agg(json_build_object('seq', seq, 'key', object_key, 'size', size_bytes,
      'sha256', encode(sha256, 'hex')) order by seq), '[]') from linked where _is_full and object_key is not null))
$$;

-- The records after that of a baton, and whether the baton still holds what was signed.
create or replace function witness.list(_after uuid, _limit integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('batonId', w.baton_id, 'record', json_build_object('statement', w.statement, 'jws', w.jws),
    'hasContent', exists (select from svc.baton b where b.id = w.baton_id and b.purge_at is not null)) order by w.baton_id), '[]')
  from (select * from svc.witness a where _after is null or a.baton_id > _after order by a.baton_id limit _limit) w
$$;
