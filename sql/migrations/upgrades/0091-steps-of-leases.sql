-- Leases end, and are forgotten, by steps of their own; those that there are get theirs here. A step that comes too early
-- queues itself again.
select lane_step.add_job('lease.expire', json_build_object('leaseId', l.id), run_at => l.expires_at,
    job_key => 'lease.expire:' || l.id, max_attempts => 12)
  from svc.lease l where l.ended_at is null;
select lane_step.add_job('lease.forget', json_build_object('leaseId', l.id), run_at => now(),
    job_key => 'lease.forget:' || l.id, max_attempts => 12)
  from svc.lease l where l.ended_at is not null;
