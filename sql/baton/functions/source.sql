-- Decision 0092: draw a baton before the run, and deliver with the end of the job.

-- Finds the entry of a baton that an operation is to have as a file, and checks that it could be read now. Nothing is drawn: a call
-- may only ask for its price, or be refused for another reason.
create or replace function baton.find_source(_by json, _ask json) returns table (baton_id uuid, seq bigint,
  total bigint, content bytea, object_key text) language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'read');
  _baton svc.baton := _visit.baton;
  _entry svc.baton_entry;
begin
  perform baton.require_entries(_baton);
  baton_id := _baton.id;
  perform baton.require_adopted(_baton, _by);
  if _baton.entry_count = 0 then
    perform baton.refuse_empty(_baton);
  end if;
  if _ask ->> 'seq' is null and _baton.behaviour in ('append', 'chained') then
    perform baton.refuse('ENTRY_REQUIRED', json_build_object('lastEntry', _baton.entry_count));
  end if;
  seq := coalesce((_ask ->> 'seq')::bigint, _baton.entry_count);
  select * into _entry from svc.baton_entry e where e.baton_id = _baton.id and e.seq = find_source.seq;
  if not found and _ask ->> 'seq' is not null then
    perform baton.refuse('NOT_FOUND', json_build_object('entry', seq));
  end if;
  total := coalesce(_entry.size_bytes, 0);
  content := _entry.content;
  object_key := _entry.object_key;
  perform baton.require_readable(_baton, _visit.token, total);
  return next;
end $$;

-- Draws the sources of a job, all of them or none, and each as one read. A later attempt of the job draws nothing. Batons are
-- locked in order, because a job may have several.
create or replace function baton.draw(_job uuid, _until timestamptz, _sources json) returns void language plpgsql as $$
declare
  _source json;
  _place integer := 0;
  _visit svc.baton_visit;
  _entry svc.baton_entry;
begin
  for _source in select s from json_array_elements(_sources) s order by s ->> 'id', (s ->> 'seq')::bigint, s ->> 'by' loop
    select * into _entry from svc.baton_entry e where e.baton_id = (_source ->> 'id')::uuid and e.seq = (_source ->> 'seq')::bigint;
    _place := _place + 1;
    insert into svc.baton_draw (job_id, place, baton_id, object_key, until)
      values (_job, _place, (_source ->> 'id')::uuid, _entry.object_key, _until) on conflict do nothing;
    if not found then
      return;
    end if;
    _visit := baton.admit(_source -> 'by', 'read');
    if not exists (select from svc.baton_entry e where e.baton_id = _entry.baton_id and e.seq = _entry.seq) then
      perform baton.refuse('INPUT_GONE', json_build_object('reason', 'The content was replaced meanwhile.'));
    end if;
    perform baton.consume_read(_visit, _entry.size_bytes);
  end loop;
end $$;

-- When bytes that no baton has any more may be removed: a read, or a job that has drawn them, may still be under way.
create or replace function baton.find_removal_time(_key text, _grace interval) returns timestamptz language sql stable as $$
  select greatest(now() + _grace, (select max(d.until) from svc.baton_draw d where d.object_key = _key))
$$;
