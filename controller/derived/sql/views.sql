-- The views for people, in the schema `report`. Amounts are in the unit of account of the table.

CREATE VIEW report.hand AS
SELECT table_name, opening, number AS hand, began_at, ended_at,
       round(extract(epoch FROM ended_at - began_at))::integer AS seconds,
       game, variant, structure, stakes, button, dealer, rounds, result,
       (SELECT count(*)::integer FROM derived.seat s
         WHERE (s.table_name, s.opening, s.number) = (h.table_name, h.opening, h.number)) AS players,
       pot, rake, jackpot, kitty, warnings, is_complete, journal, segment, first_record, last_record
  FROM derived.hand h;

CREATE VIEW report.pot AS
SELECT p.table_name, p.opening, p.number AS hand, h.ended_at, p.award, p.pot, p.amount, p.seats, p.amounts,
       (SELECT array_agg(s.player ORDER BY s.seat) FROM derived.seat s
         WHERE (s.table_name, s.opening, s.number) = (p.table_name, p.opening, p.number)
           AND s.seat = ANY (p.seats)) AS players
  FROM derived.pot p JOIN derived.hand h USING (table_name, opening, number);

CREATE VIEW report.largest_pot AS
SELECT day, rank, table_name, opening, hand, ended_at, stakes, pot
  FROM (SELECT ended_at::date AS day,
               rank() OVER (PARTITION BY ended_at::date ORDER BY pot DESC)::integer AS rank,
               table_name, opening, number AS hand, ended_at, stakes, pot
          FROM derived.hand WHERE result = 'won') ranked
 WHERE rank <= 20;

CREATE VIEW report.hands_per_hour AS
SELECT table_name, date_trunc('hour', ended_at) AS hour, count(*)::integer AS hands,
       round(avg(pot))::bigint AS mean_pot, max(pot) AS largest_pot, sum(rake)::bigint AS rake
  FROM derived.hand WHERE ended_at IS NOT NULL GROUP BY table_name, date_trunc('hour', ended_at);

CREATE VIEW report.player_hand AS
SELECT s.player, s.table_name, s.opening, s.number AS hand, h.ended_at, s.seat, h.stakes,
       s.stack_before, s.stack_after, s.stack_after - s.stack_before AS change, s.won
  FROM derived.seat s JOIN derived.hand h USING (table_name, opening, number)
 WHERE s.player <> '';

CREATE VIEW report.player_day AS
SELECT player, ended_at::date AS day, table_name, count(*)::integer AS hands,
       count(*) FILTER (WHERE won > 0)::integer AS hands_won,
       sum(change)::bigint AS change, max(won) AS largest_win
  FROM report.player_hand GROUP BY player, ended_at::date, table_name;

CREATE VIEW report.call AS
SELECT table_name, called_at, why, answered_at, answered_by,
       round(extract(epoch FROM answered_at - called_at))::integer AS seconds_to_answer,
       ended_at, ended_by,
       round(extract(epoch FROM ended_at - called_at))::integer AS seconds,
       journal, segment, record
  FROM derived.call;

CREATE VIEW report.push AS
SELECT table_name, opening, push, dealer, dealer_before, began_at, ended_at,
       round(extract(epoch FROM ended_at - began_at) / 60)::integer AS minutes, hands
  FROM (SELECT p.*,
               lag(dealer) OVER shifts AS dealer_before,
               lead(began_at) OVER shifts AS ended_at,
               coalesce(lead(hands_before) OVER shifts,
                        (SELECT max(number) FROM derived.hand h
                          WHERE (h.table_name, h.opening) = (p.table_name, p.opening)), 0) - hands_before AS hands
          FROM derived.push p
        WINDOW shifts AS (PARTITION BY table_name, opening ORDER BY push)) shift;

CREATE VIEW report.fill AS
SELECT table_name, at, kind, amount, badge, journal, segment, record FROM derived.fill;

CREATE VIEW report.hole AS
SELECT table_name, journal, segment, first_record, last_record, reason, began_at, ended_at, hands FROM derived.hole;

CREATE VIEW report.alert AS
SELECT id, raised_at, table_name, problem, journal, segment, number AS record, message FROM public.alert;

CREATE VIEW report.day AS
WITH
    hands AS (
        SELECT ended_at::date AS day, table_name, count(*)::integer AS hands,
               count(*) FILTER (WHERE result = 'void')::integer AS void_hands,
               sum(pot) FILTER (WHERE result = 'won')::bigint AS pots,
               max(pot) FILTER (WHERE result = 'won') AS largest_pot,
               sum(rake)::bigint AS rake, sum(jackpot)::bigint AS jackpot, sum(kitty)::bigint AS kitty,
               min(began_at) AS first_hand_at, max(ended_at) AS last_hand_at
          FROM derived.hand WHERE ended_at IS NOT NULL GROUP BY 1, 2),
    calls AS (
        SELECT called_at::date AS day, table_name, count(*)::integer AS calls,
               round(avg(extract(epoch FROM coalesce(answered_at, ended_at) - called_at)))::integer AS mean_seconds
          FROM derived.call WHERE called_at IS NOT NULL GROUP BY 1, 2),
    pushes AS (
        SELECT began_at::date AS day, table_name, count(*)::integer AS pushes
          FROM derived.push WHERE began_at IS NOT NULL AND push > 0 GROUP BY 1, 2),
    fills AS (
        SELECT at::date AS day, table_name,
               sum(amount) FILTER (WHERE kind = 'fill')::bigint AS fills,
               sum(amount) FILTER (WHERE kind = 'credit')::bigint AS credits
          FROM derived.fill WHERE at IS NOT NULL GROUP BY 1, 2),
    holes AS (
        SELECT began_at::date AS day, table_name, count(*)::integer AS holes
          FROM derived.hole WHERE began_at IS NOT NULL GROUP BY 1, 2),
    alerts AS (
        SELECT raised_at::date AS day, table_name, count(*)::integer AS alerts FROM public.alert GROUP BY 1, 2)
SELECT day, table_name, coalesce(hands, 0) AS hands, coalesce(void_hands, 0) AS void_hands,
       first_hand_at, last_hand_at, coalesce(pots, 0) AS pots, largest_pot,
       coalesce(rake, 0) AS rake, coalesce(jackpot, 0) AS jackpot, coalesce(kitty, 0) AS kitty,
       coalesce(calls, 0) AS calls, mean_seconds AS mean_seconds_to_answer,
       coalesce(pushes, 0) AS pushes, coalesce(fills, 0) AS fills, coalesce(credits, 0) AS credits,
       coalesce(holes, 0) AS holes, coalesce(alerts, 0) AS alerts
  FROM hands FULL JOIN calls USING (day, table_name) FULL JOIN pushes USING (day, table_name)
       FULL JOIN fills USING (day, table_name) FULL JOIN holes USING (day, table_name)
       FULL JOIN alerts USING (day, table_name);

CREATE VIEW report.progress AS
SELECT span_id, (SELECT coalesce(max(id), 0) FROM public.span) - span_id AS spans_behind FROM derived.progress;
