-- The report of a verification; where there is none of what is written now, one is queued, and null is returned.
create or replace function idverify.request_report(_account uuid, _id uuid) returns text language plpgsql as $$
declare
  _row svc.idverify := idverify.find(_account, _id);
  _key text;
begin
  select object_key into _key from svc.idverify_report where verification_id = _id and made_from = _row.updated_at;
  if _key is null then
    perform step.queue('idverify.report', json_build_object('id', _id), now(), _id::text);
  end if;
  return _key;
end $$;

-- What is to be written; null if that was done, or there is no such verification any more.
create or replace function idverify.take_report(_id uuid) returns json language sql stable as $$
  select json_build_object('accountId', v.account_id, 'madeFrom', v.updated_at::text, 'view', idverify.show(v, false))
  from svc.idverify v where v.id = _id and not exists (
    select from svc.idverify_report r where r.verification_id = _id and r.made_from = v.updated_at)
$$;

-- Keeps a report whose bytes are stored. Of a verification that was changed meanwhile, it goes as any that is replaced.
create or replace function idverify.keep_report(_id uuid, _key text, _size bigint, _made_from timestamptz) returns void
language plpgsql as $$
declare
  _row svc.idverify;
begin
  select * into _row from svc.idverify where id = _id for no key update;
  if _row.updated_at = _made_from then
    update svc.object set expires_at = now() where key = (select object_key from svc.idverify_report where verification_id = _id);
    update svc.object set expires_at = 'infinity', size_bytes = _size where key = _key and kind = 'identity';
    insert into svc.idverify_report (verification_id, object_key, made_from) values (_id, _key, _made_from)
      on conflict (verification_id) do update set object_key = excluded.object_key, made_from = excluded.made_from;
  end if;
  perform pg_notify('long_polls', 'idverify-report ' || _id);
end $$;
