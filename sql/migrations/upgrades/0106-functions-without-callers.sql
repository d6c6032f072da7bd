-- Leases are bought as everything else is, and end by steps.
drop function if exists lease.pay(json, jsonb);
drop function if exists lease.sweep(integer, interval);
