-- The open jobs of an account in a lane, oldest first: the first of them are within its share (sql/functions/lane.sql).
create index job_in_lane on svc.job (account_id, lane, id) where status in ('submitted', 'running');
