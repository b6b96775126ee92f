-- The login that Grafana reads with: the views of the schema `dashboard` and nothing else.
--
-- To be run by the owner of the ledger once a coordinator has brought the schema up to date, and
-- again after an upgrade or a restore, which may bring new views:
--
--     psql --dbname postgres://OWNER@HOST/DATABASE --set password=SECRET --file dashboard_role.sql
\set ON_ERROR_STOP on
SELECT 'CREATE ROLE elomill_dashboard LOGIN'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'elomill_dashboard') \gexec

ALTER ROLE elomill_dashboard PASSWORD :'password' CONNECTION LIMIT 10;
-- A chart that is asked for too much is cut off before it takes the disk from the ledger.
ALTER ROLE elomill_dashboard SET default_transaction_read_only = on;
ALTER ROLE elomill_dashboard SET statement_timeout = '10s';

GRANT USAGE ON SCHEMA dashboard TO elomill_dashboard;
GRANT SELECT ON ALL TABLES IN SCHEMA dashboard TO elomill_dashboard;
