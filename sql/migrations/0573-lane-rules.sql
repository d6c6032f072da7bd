-- How the jobs of an account share the lanes with those of others, where an operator has said so.
create table svc.lane_rule (
  account_id uuid primary key references svc.account (id),
  -- Of the places of a lane; null is the setting for all.
  share_percent integer check (share_percent between 1 and 100),
  -- Jobs at once in each lane; null is the setting for all.
  max_running integer check (max_running > 0),
  -- Before (-1) or after (1) the jobs of others.
  urgency integer not null default 0 check (urgency between -1 and 1)
);

-- Where a job is put in its queue if that is not where most are.
create type svc.lane_place as (id uuid, priority integer, is_held boolean);
