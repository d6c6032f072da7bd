-- Whether a caller could write to a baton now, and which baton that is. Nothing is written.
create or replace function baton.check_writable(_by json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := baton.admit(_by, 'write');
  _baton svc.baton := _visit.baton;
begin
  perform baton.require_entries(_baton);
  perform baton.require_adopted(_baton, _by);
  perform baton.require_writable(_baton, _visit.token, '{"text": true}');
  return json_build_object('id', _baton.id, 'behaviour', _baton.behaviour);
end $$;

-- Ends a job that has succeeded and delivers its output, in one transaction: neither happens twice. If the baton refuses the
-- output, the job succeeds with a warning and is charged for its work alone. `_result` is an object without its warnings. Returns
-- false, and does nothing, if the job has ended or belongs to a later attempt.
create or replace function baton.finish_delivery(_ending json, _result text, _warnings text, _delivery json, _content bytea)
returns boolean language plpgsql as $$
declare
  _charge bigint := (_ending ->> 'charge')::bigint;
  _text text := _warnings;
  _delivered jsonb;
  _ended svc.job[];
begin
  -- Jobs are locked before accounts everywhere, and what a delivery does may lock the account.
  perform from svc.job where id = (_ending ->> 'id')::uuid for no key update;
  begin
    _delivered := baton.deliver((_ending ->> 'acct')::uuid, (_ending ->> 'id')::uuid, _delivery, _content);
    _charge := _charge + (_delivery ->> 'charge')::bigint;
  exception when others then
    if sqlstate = 'SVC04' then
      raise;
    end if;
    _text := baton.add_warning(_warnings, case sqlstate when 'SVC01' then sqlerrm else 'INTERNAL' end);
  end;
  _ended := job.close(array[row((_ending ->> 'id')::uuid, (_ending ->> 'acct')::uuid, (_ending ->> 'attempt')::integer, 'succeeded',
    _charge, baton.add_fields(_result, jsonb_strip_nulls(jsonb_build_object('delivered', _delivered)), _text), null,
    (_ending ->> 'started')::timestamptz, _ending -> 'objects')::svc.closing]);
  if cardinality(_ended) = 0 then
    raise exception using errcode = 'SVC03';
  end if;
  perform job.announce(_ended);
  return true;
exception when sqlstate 'SVC03' then
  return false;
end $$;

-- Writes the output of a job to a baton, or creates the baton with it. Returns what the caller is told.
create or replace function baton.deliver(_account uuid, _job uuid, _delivery json, _content bytea) returns jsonb language plpgsql as $$
declare
  _shown jsonb := _delivery -> 'shown';
  _written json;
begin
  if _delivery -> 'spec' is not null then
    perform baton.insert_new(_account, _job, _delivery -> 'spec', _content);
    return _shown;
  end if;
  _written := baton.write(((_delivery -> 'by')::jsonb || jsonb_build_object('isUploadTried', _delivery -> 'isUploadTried'))::json,
    _content, _delivery -> 'written');
  if (_delivery ->> 'isLog')::boolean then
    _shown := _shown || jsonb_build_object('entryRef', _written #> '{entry,seq}');
  end if;
  return _shown;
end $$;

create or replace function baton.add_warning(_warnings text, _code text) returns text language sql immutable as $$
  select left(_warnings, -1) || case when _warnings = '[]' then '' else ',' end || json_build_object('code', 'DELIVER_FAILED',
    'message', format('The output was not delivered (%s). It is complete in this answer, and the baton was not charged.', _code)) || ']'
$$;

-- As text, because a result may hold what jsonb cannot.
create or replace function baton.add_fields(_result text, _fields jsonb, _warnings text) returns json language sql immutable as $$
  select ('{' || array_to_string(array_remove(array[nullif(substr(_result, 2, length(_result) - 2), ''),
    nullif(substr(_fields::text, 2, length(_fields::text) - 2), ''),
    case when _warnings <> '[]' then '"warnings":' || _warnings end], null), ',') || '}')::json
$$;
