-- Envelopes with what people have filled in and signed, all versions of templates, and batches.
create or replace function esigndoc.export_account(_account uuid) returns json language sql stable as $$
  select json_build_object(
    'envelopes', (select coalesce(json_agg(esigndoc.export_envelope(e) order by e.created_at, e.id), '[]')
      from svc.envelope e where e.account_id = _account),
    'templates', (select coalesce(json_agg(esigndoc.show_template(t, v.version) order by t.created_at, t.id, v.version), '[]')
      from svc.envelope_template t join svc.envelope_template_version v on v.template_id = t.id where t.account_id = _account),
    'batches', (select coalesce(json_agg(esigndoc.read_batch(_account, b.id) order by b.created_at, b.id), '[]')
      from svc.envelope_batch b where b.account_id = _account))
$$;

create or replace function esigndoc.export_envelope(_row svc.envelope) returns jsonb language sql stable as $$
  select esigndoc.show(_row)::jsonb || jsonb_build_object('documents', esigndoc.show_documents(_row),
    'recipients', (select jsonb_agg(esigndoc.show_recipient(r)::jsonb - 'linkNonce' || jsonb_build_object('message', r.message,
      'redirectUrl', r.redirect_url, 'ip', r.ip, 'userAgent', r.user_agent, 'consent', r.consent, 'signature', r.signature)
      order by r.position) from svc.envelope_recipient r where r.envelope_id = _row.id),
    'uploads', (select coalesce(jsonb_agg(to_jsonb(u) - 'envelope_id' order by u.created_at, u.id), '[]')
      from svc.envelope_upload u where u.envelope_id = _row.id))
$$;

-- The bytes go with the objects of the account, which are due then. Documents are locked before the images of their
-- pages, as whoever stores such an image does it.
create or replace function esigndoc.erase_account(_account uuid) returns void language sql as $$
  update svc.object set expires_at = now() where account_id = _account and kind = 'signing' and expires_at = 'infinity';
  update svc.object set expires_at = now() where account_id = _account and (kind = 'signing' or key in (
    select o.object_key from svc.envelope_output o join svc.envelope e on e.id = o.envelope_id where e.account_id = _account));
  delete from svc.envelope_batch where account_id = _account;
  delete from svc.envelope where account_id = _account;
  delete from svc.envelope_template where account_id = _account;
  delete from svc.envelope_preparation where account_id = _account;
  delete from svc.envelope_page where account_id = _account;
$$;

-- What the account of a wallet has goes to the account that the wallet joins.
create or replace function esigndoc.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.envelope set account_id = _to where account_id = _from;
  update svc.envelope_template set account_id = _to where account_id = _from;
  update svc.envelope_batch set account_id = _to where account_id = _from;
  update svc.envelope_preparation set account_id = _to where account_id = _from;
  update svc.envelope_page set account_id = _to where account_id = _from;
  update svc.object set account_id = _to where account_id = _from and kind = 'signing';
$$;

-- Deletes what came to nothing so many days ago, with its documents and logs, and preparations that are over. Returns how many.
create or replace function esigndoc.forget(_days integer, _limit integer) returns bigint language plpgsql as $$
declare
  _ids uuid[] := array(select id from svc.envelope where state in ('draft', 'rejected', 'expired', 'cancelled')
    and state_at < now() - make_interval(days => _days) order by state_at limit _limit for update skip locked);
  _keys text[] := array(select esigndoc.list_object_keys(i) from unnest(_ids) i);
begin
  delete from svc.envelope_preparation where expires_at < now();
  perform audit.erase_subjects('envelope', _ids);
  perform baton.forget_copies(array(select baton_id from svc.envelope where id = any (_ids) and baton_id is not null));
  delete from svc.envelope where id = any (_ids);
  perform esigndoc.release_objects(_keys);
  return cardinality(_ids);
end $$;

create or replace function esigndoc.list_object_keys(_envelope uuid) returns setof text language sql stable as $$
  select f.original ->> 'key' from svc.envelope_file f where f.envelope_id = _envelope
  union select f.content ->> 'key' from svc.envelope_file f where f.envelope_id = _envelope
  union select o.object_key from svc.envelope_output o where o.envelope_id = _envelope
  union select u.object_key from svc.envelope_upload u where u.envelope_id = _envelope
$$;

-- Bytes go, with the images of their pages, unless a template or another envelope has the same document.
create or replace function esigndoc.release_objects(_keys text[]) returns void language plpgsql as $$
declare
  _unused text[] := array(select k from unnest(_keys) k
    where not exists (select from svc.envelope_file f where f.original ->> 'key' = k)
      and not exists (select from svc.envelope_file f where f.content ->> 'key' = k)
      and not exists (select from svc.envelope_template_version v, json_array_elements(v.files) f
        where k in (f #>> '{original,key}', f #>> '{content,key}')));
begin
  update svc.object set expires_at = now() where kind = 'signing' and key = any (_unused);
  update svc.object set expires_at = now() where kind = 'signing'
    and key in (select p.object_key from svc.envelope_page p where p.content_key = any (_unused));
  delete from svc.envelope_page where content_key = any (_unused);
end $$;

-- The open envelopes that wait for the person of an account, by the mail addresses and wallets that it has proved.
create or replace function esigndoc.list_inbox(_account uuid, _limit integer) returns json language sql stable as $$
  with addressed as (
    select r.* from svc.identity i join svc.envelope_recipient r on lower(r.email) = lower(i.email) where i.account_id = _account
    union all
    select r.* from svc.wallet w join svc.envelope_recipient r on r.wallet = w.address where w.account_id = _account)
  select coalesce(json_agg(json_build_object('recipient', found.id, 'linkNonce', found.link_nonce, 'title', found.title,
    'notifiedAt', found.notified_at, 'expiresAt', found.expires_at) order by found.expires_at, found.id), '[]')
  from (select distinct on (e.expires_at, r.id) r.id, r.link_nonce, e.title, r.notified_at, e.expires_at
    from addressed r join svc.envelope e on e.id = r.envelope_id
    where r.role in ('signer', 'witness', 'approver') and r.status in ('notified', 'viewed')
      and e.state in ('sent', 'in_progress') and e.expires_at > now()
    order by e.expires_at, r.id limit _limit) found
$$;
