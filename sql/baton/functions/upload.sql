-- What was uploaded for a baton by the form given out at create, and is not taken over yet, comes before the use that finds it: the
-- caller takes it over and tries again. With S3 an upload does not pass through the api, so every use has to look.
create or replace function baton.require_adopted(_baton svc.baton, _by json) returns void language plpgsql as $$
begin
  if _baton.upload_key is not null and not coalesce((_by ->> 'isUploadTried')::boolean, false) then
    raise exception 'UPLOAD_PENDING' using errcode = 'SVC04', detail = baton.show_upload(_baton)::text;
  end if;
end $$;

create or replace function baton.show_upload(_baton svc.baton) returns json language sql stable as $$
  select json_build_object('batonId', _baton.id, 'accountId', _baton.account_id, 'key', _baton.upload_key,
    'maxBytes', _baton.size_bytes::text)
$$;

-- The baton that still takes an upload under this key; null if there is none.
create or replace function baton.find_upload(_key text) returns json language sql stable as $$
  select baton.show_upload(b) from svc.baton b
  where b.upload_key = _key and b.deleted_at is null and b.witnessed_at is null and b.expires_at > clock_timestamp()
$$;

-- Takes over a file that was uploaded, as the next entry. Of several processes that try, one does. Says whether the file is in the
-- baton then, or why not. The same file may be sent again, but no other one by the same form.
create or replace function baton.adopt_upload(_id uuid, _upload_key text, _written json) returns text language plpgsql as $$
declare
  _baton svc.baton;
  _entry svc.baton_entry;
begin
  select * into _baton from svc.baton where id = _id for no key update;
  if _baton.upload_key is distinct from _upload_key then
    return case when exists (select from svc.baton_log l where l.baton_id = _id and l.details ->> 'upload' = _upload_key
        and coalesce(l.details ->> 'sha256' = _written ->> 'sha256', true))
      then 'adopted' else 'gone' end;
  elsif _baton.deleted_at is not null or _baton.purge_at is null
      or (_baton.expires_at <= clock_timestamp() and not witness.is_due(_baton)) then
    return 'gone';
  elsif (_written ->> 'size')::bigint > _baton.size_bytes - (case when baton.is_log(_baton) then _baton.stored_bytes else 0 end) then
    perform baton.forget_upload(_baton);
    insert into svc.baton_log (baton_id, type, writer, details)
      values (_id, 'upload.refused', 'service', json_build_object('reason', 'size', 'bytes', (_written ->> 'size')::bigint));
    return 'too large';
  end if;
  _entry := baton.put_entry(_baton, 'owner', null, _written);
  perform baton.forget_upload(_baton);
  perform baton.emit(_baton, 'baton.written', json_build_object('baton_id', _id, 'seq', _entry.seq, 'writer', _entry.writer,
    'sizeBytes', _entry.size_bytes));
  return 'adopted';
end $$;

-- No file has come. Once none can come any more, it is not looked for again.
create or replace function baton.miss_upload(_id uuid, _upload_key text) returns void language sql as $$
  select baton.forget_upload(b) from svc.baton b where b.id = _id and b.upload_key = _upload_key and b.upload_until <= now()
$$;

-- What is uploaded from now on is removed. Forms are valid for an hour.
create or replace function baton.forget_upload(_baton svc.baton) returns void language plpgsql as $$
begin
  update svc.baton set upload_key = null, upload_until = null where id = _baton.id and upload_key = _baton.upload_key;
  update svc.object set expires_at = least(expires_at, now() + interval '1 hour') where key = _baton.upload_key;
end $$;
