-- The live leases of an account, for its pages. The size of a checkpoint is that of its last version.
create or replace function lease.list_live(_account uuid, _limit integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('kind', l.kind, 'name', coalesce(l.workflow_id, l.label, lease.format_id('lse_', l.id)),
    'usedBytes', coalesce((select octet_length(v.body) from svc.checkpoint_version v
      where v.lease_id = l.id and v.version = l.version), l.used_bytes),
    'sizeBytes', coalesce(l.capacity_bytes, l.max_body_bytes), 'version', l.version, 'messages', l.message_count,
    'expiresAt', l.expires_at) order by l.created_at desc, l.id), '[]')
  from (select * from svc.lease where account_id = _account and ended_at is null and expires_at > now()
    order by created_at desc, id limit _limit) l
$$;
