-- Locks a vector baton and admits a caller, as `baton.admit` does.
create or replace function vector.admit(_by json, _action text) returns svc.baton_visit language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, _action);
begin
  if (_visit.baton).behaviour <> 'vectors' then
    perform baton.refuse('PRESET_MISMATCH', json_build_object('preset', (_visit.baton).preset, 'expected', 'vector'));
  end if;
  return _visit;
end $$;

-- Checks a caller before anything is paid for. Nothing is drawn.
create or replace function vector.check(_by json, _action text) returns void language plpgsql as $$
declare
  _visit svc.baton_visit := vector.admit(_by, _action);
begin
  if _action = 'write' then
    perform baton.require_writable(_visit.baton, _visit.token, '{"text": true}');
  else
    perform baton.require_readable(_visit.baton, _visit.token, 0);
  end if;
end $$;

-- The model of the vectors of a baton that the caller may write to.
create or replace function vector.find_model(_by json) returns text language plpgsql as $$
declare
  _visit svc.baton_visit := vector.admit(_by, 'write');
begin
  return (select model from svc.vector_index where baton_id = (_visit.baton).id);
end $$;

-- Begins a change of vectors: one write of the quotas.
create or replace function vector.admit_change(_by json) returns svc.baton_visit language plpgsql as $$
declare
  _visit svc.baton_visit := vector.admit(_by, 'write');
  _baton svc.baton := _visit.baton;
begin
  perform baton.require_writable(_baton, _visit.token, '{"text": true}');
  _baton := baton.count_minute(_baton, 'write');
  _baton.writes_used := _baton.writes_used + 1;
  update svc.vector_index set changes = changes + 1 where baton_id = _baton.id;
  return row(_baton, _visit.token, _visit.writer)::svc.baton_visit;
end $$;

-- Ends a change by which the baton holds so many bytes more or less.
create or replace function vector.record_change(_visit svc.baton_visit, _type text, _bytes bigint, _count integer) returns svc.baton
language plpgsql as $$
declare
  _baton svc.baton := _visit.baton;
  _token svc.baton_token := _visit.token;
begin
  if _bytes > 0 and _baton.stored_bytes + _bytes > _baton.size_bytes then
    perform baton.refuse('QUOTA_EXHAUSTED', json_build_object('quota', 'size', 'neededBytes', _bytes::text,
      'leftBytes', (_baton.size_bytes - _baton.stored_bytes)::text));
  end if;
  update svc.baton set stored_bytes = stored_bytes + _bytes, writes_used = _baton.writes_used, minute = _baton.minute,
    minute_reads = _baton.minute_reads, minute_writes = _baton.minute_writes where id = _baton.id returning * into _baton;
  insert into svc.baton_log (baton_id, type, writer, details)
    values (_baton.id, _type, _visit.writer, json_build_object('vectors', _count, 'bytes', _bytes));
  perform baton.emit(_baton, 'baton.written', json_build_object('baton_id', _baton.id,
    'seq', (select changes from svc.vector_index where baton_id = _baton.id), 'writer', _visit.writer, 'sizeBytes', _bytes));
  if _token.hash is not null then
    update svc.baton_token set writes_used = writes_used + 1 where hash = _token.hash returning * into _token;
    perform baton.note_token_use(_baton, _token, 'write', _token.writes_used = _token.max_writes);
  end if;
  return _baton;
end $$;
