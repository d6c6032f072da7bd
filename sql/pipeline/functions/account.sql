create or replace function pipeline.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(to_jsonb(p) - 'account_id' order by p.name, p.version), '[]')
  from svc.pipeline p where p.account_id = _account
$$;

create or replace function pipeline.erase_account(_account uuid) returns void language sql as $$
  delete from svc.pipeline where account_id = _account
$$;
