-- Outside of a transaction, so that calls go on.
drop index concurrently if exists svc.transfer_refund;
-- What a job was given back.
create index concurrently transfer_refund on svc.transfer (job_id) where kind = 'refund';
