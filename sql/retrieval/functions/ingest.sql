-- Ends a job that has cut and embedded a document, and writes its chunks, to a baton that is created with them if it is new: all of
-- it or nothing. Returns false, and does nothing, if the job has ended or belongs to a later attempt.
create or replace function retrieval.finish_ingest(_ending json, _result text, _plan json, _batch json, _floats bytea)
returns boolean language plpgsql as $$
declare
  _account uuid := (_ending ->> 'acct')::uuid;
  _job uuid := (_ending ->> 'id')::uuid;
  _written jsonb;
  _ended svc.job[];
begin
  -- Jobs are locked before batons and accounts everywhere.
  perform from svc.job where id = _job for no key update;
  if _plan -> 'spec' is not null then
    perform baton.insert_new(_account, _job, _plan -> 'spec', null);
  end if;
  _written := vector.write(_plan -> 'by', _batch, _floats)::jsonb;
  _ended := job.close(array[row(_job, _account, (_ending ->> 'attempt')::integer, 'succeeded', (_ending ->> 'charge')::bigint,
    baton.add_fields(_result, jsonb_build_object('count', _written -> 'count', 'replaced', _written -> 'replaced',
      'dimensions', _written -> 'dimensions', 'model', _written -> 'model', 'bytesUsed', _written -> 'bytesUsed'), '[]'),
    null, (_ending ->> 'started')::timestamptz, null)::svc.closing]);
  if cardinality(_ended) = 0 then
    raise exception using errcode = 'SVC03';
  end if;
  perform job.announce(_ended);
  return true;
exception when sqlstate 'SVC03' then
  return false;
end $$;
