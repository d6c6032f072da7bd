-- What each step of a pipeline cost: captures of one job, with the name of the step. Other captures have no reference.
create index transfer_step on svc.transfer (job_id) where kind = 'capture' and reference is not null;
