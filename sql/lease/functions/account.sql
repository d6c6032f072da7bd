-- What every export of leases has of one; `_kind` is that of the product.
create or replace function lease.export_account(_account uuid, _kind svc.lease_kind) returns setof jsonb language sql stable as $$
  select to_jsonb(l) - '{account_id,drop_token_hash}'::text[] from svc.lease l
  where l.account_id = _account and l.kind = _kind order by l.created_at, l.id
$$;

-- Ends all leases of an account and forgets them at once, with the files, messages, versions and hand-offs of each.
create or replace function lease.erase_account(_account uuid) returns void language plpgsql as $$
declare
  _ids uuid[] := array(select id from svc.lease where account_id = _account order by id for update);
begin
  perform lease.finish(_ids, true);
  perform lease.delete_records(_ids);
end $$;
