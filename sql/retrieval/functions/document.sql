-- Ends a job that has read a document, and creates the batons of its PDF, its tables and its text: all of it or nothing. Returns
-- false, and does nothing, if the job has ended or belongs to a later attempt.
create or replace function retrieval.finish_document(_ending json, _result text, _batons json, _contents bytea[], _vectors json,
  _floats bytea) returns boolean language plpgsql as $$
declare
  _account uuid := (_ending ->> 'acct')::uuid;
  _job uuid := (_ending ->> 'id')::uuid;
  _spec json;
  _place bigint;
  _ended svc.job[];
begin
  -- Jobs are locked before batons and accounts everywhere.
  perform from svc.job where id = _job for no key update;
  for _spec, _place in select b.value, b.place from json_array_elements(_batons) with ordinality as b (value, place) loop
    perform baton.insert_new(_account, _job, _spec, _contents[_place]);
  end loop;
  if _vectors is not null then
    perform baton.insert_new(_account, _job, _vectors -> 'spec', null);
    perform vector.write(_vectors -> 'by', _vectors -> 'batch', _floats);
  end if;
  _ended := job.close(array[row(_job, _account, (_ending ->> 'attempt')::integer, 'succeeded', (_ending ->> 'charge')::bigint,
    _result::json, null, (_ending ->> 'started')::timestamptz, null)::svc.closing]);
  if cardinality(_ended) = 0 then
    raise exception using errcode = 'SVC03';
  end if;
  perform job.announce(_ended);
  return true;
exception when sqlstate 'SVC03' then
  return false;
end $$;
