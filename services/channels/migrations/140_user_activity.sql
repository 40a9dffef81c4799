-- The last day on which somebody did something here: who was active lately is always named among the subscribers of large
-- channels. A row is written once a day for each person.
CREATE TABLE user_activity (
  user_id bigint PRIMARY KEY,
  last_day date NOT NULL
);
-- Nothing is known of the time before: everybody may have been active.
INSERT INTO user_activity (user_id, last_day) SELECT id, current_date FROM users WHERE bot_type IS NULL;
