-- The vectors of an account's batons, without their numbers, which follow from what was sent.
create or replace function vector.export_account(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('batonId', v.baton_id, 'namespace', v.namespace, 'id', v.id,
      'metadata', v.metadata, 'text', v.body) order by v.baton_id, v.namespace, v.number), '[]')
  from svc.vector v join svc.baton b on b.id = v.baton_id where b.account_id = _account
$$;

create or replace function vector.erase_batons(_batons uuid[]) returns void language plpgsql as $$
begin
  while cardinality(vector.purge(_batons, 100000)) > 0 loop
  end loop;
  delete from svc.vector_index where baton_id = any (_batons);
end $$;
