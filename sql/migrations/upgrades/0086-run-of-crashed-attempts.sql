-- How long the attempts of a job ran until their tools crashed or were killed: together they have the time limit of the job.
alter table svc.job add column ran_ms integer not null default 0;
