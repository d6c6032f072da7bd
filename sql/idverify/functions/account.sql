create or replace function idverify.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(idverify.show(v, true)::jsonb || jsonb_build_object('subject', v.subject) order by v.created_at, v.id), '[]')
  from svc.idverify v where v.account_id = _account
$$;

-- The bytes of the images go with the objects of the account, which are due then.
create or replace function idverify.erase_account(_account uuid) returns void language sql as $$
  update svc.object set expires_at = now() where account_id = _account and kind = 'identity';
  select idverify.leave_provider(v, true) from svc.idverify v where v.account_id = _account and v.purged_at is null;
  delete from svc.idverify where account_id = _account
$$;

-- What the account of a wallet has goes to the account that the wallet joins.
create or replace function idverify.move_account(_from uuid, _to uuid) returns void language sql as $$
  update svc.idverify set account_id = _to where account_id = _from;
$$;
