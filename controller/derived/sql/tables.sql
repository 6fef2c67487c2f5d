-- The derived tables. The program creates them in a schema that it has set as the search path.

CREATE TABLE progress (
    form integer NOT NULL,
    span_id bigint NOT NULL
);

CREATE TABLE table_progress (
    table_name text PRIMARY KEY,
    restart_span bigint NOT NULL,
    opening integer NOT NULL
);

CREATE TABLE hand (
    table_name text NOT NULL,
    opening integer NOT NULL,
    number integer NOT NULL,
    journal text NOT NULL,
    segment bigint NOT NULL,
    first_record bigint NOT NULL,
    last_record bigint NOT NULL,
    is_complete boolean NOT NULL,
    began_at timestamptz,
    ended_at timestamptz,
    game text NOT NULL,
    variant text NOT NULL,
    structure text NOT NULL,
    stakes text NOT NULL,
    button integer NOT NULL,
    dealer text NOT NULL,
    rounds integer NOT NULL,
    result text NOT NULL,
    pot bigint NOT NULL,
    rake bigint NOT NULL,
    jackpot bigint NOT NULL,
    kitty bigint NOT NULL,
    warnings integer NOT NULL,
    PRIMARY KEY (table_name, opening, number)
);
CREATE INDEX hand_by_time ON hand (ended_at);
CREATE INDEX hand_of_table_by_time ON hand (table_name, ended_at);

CREATE TABLE seat (
    table_name text NOT NULL,
    opening integer NOT NULL,
    number integer NOT NULL,
    seat integer NOT NULL,
    player text NOT NULL,
    stack_before bigint,
    stack_after bigint,
    won bigint NOT NULL,
    PRIMARY KEY (table_name, opening, number, seat),
    FOREIGN KEY (table_name, opening, number) REFERENCES hand ON DELETE CASCADE
);
CREATE INDEX seat_of_player ON seat (player) WHERE player <> '';

CREATE TABLE pot (
    table_name text NOT NULL,
    opening integer NOT NULL,
    number integer NOT NULL,
    award integer NOT NULL,
    pot text NOT NULL,
    amount bigint NOT NULL,
    seats integer[] NOT NULL,
    amounts bigint[] NOT NULL,
    PRIMARY KEY (table_name, opening, number, award),
    FOREIGN KEY (table_name, opening, number) REFERENCES hand ON DELETE CASCADE
);

CREATE TABLE call (
    table_name text NOT NULL,
    journal text NOT NULL,
    segment bigint NOT NULL,
    record bigint NOT NULL,
    called_at timestamptz,
    why text NOT NULL,
    answered_at timestamptz,
    answered_by text NOT NULL,
    ended_at timestamptz,
    ended_by text NOT NULL,
    PRIMARY KEY (table_name, journal, segment, record)
);

CREATE TABLE push (
    table_name text NOT NULL,
    opening integer NOT NULL,
    push integer NOT NULL,
    dealer text NOT NULL,
    began_at timestamptz,
    hands_before integer NOT NULL,
    PRIMARY KEY (table_name, opening, push)
);

CREATE TABLE fill (
    table_name text NOT NULL,
    journal text NOT NULL,
    segment bigint NOT NULL,
    record bigint NOT NULL,
    at timestamptz,
    kind text NOT NULL,
    amount bigint NOT NULL,
    badge text NOT NULL,
    PRIMARY KEY (table_name, journal, segment, record)
);

CREATE TABLE hole (
    table_name text NOT NULL,
    journal text NOT NULL,
    segment bigint NOT NULL,
    first_record bigint NOT NULL,
    reason text NOT NULL,
    began_at timestamptz,
    last_record bigint,
    ended_at timestamptz,
    hands integer,
    PRIMARY KEY (table_name, journal, segment, first_record)
);
