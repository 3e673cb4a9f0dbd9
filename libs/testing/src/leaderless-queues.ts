/**
 * Runs inside a private node, in Erlang, each time it starts. RabbitMQ writes the names of its quorum queues to disk with a
 * delay; a node that is killed within a second of a declaration knows the queue and not where its log is. It then begins the
 * log anew and waits for another member to call the election, which in a queue of one member nobody does: the queue
 * takes no messages and fails whoever consumes from it, for ever. So the election is called here, which harms no queue that
 * still has its log. A name whose log has gone from the disk is registered anew first. The register is on the disk before
 * the first message can be confirmed, and nothing is ever deleted.
 */
export const electLeaders = `
Lone = fun(Queue) -> amqqueue:is_quorum(Queue) andalso rabbit_amqqueue:get_quorum_nodes(Queue) =:= [node()] end,
Leaderless = fun() ->
  [Queue || Queue <- rabbit_amqqueue:list(), Lone(Queue),
    ra_leaderboard:lookup_leader(element(1, amqqueue:get_pid(Queue))) =:= undefined]
end,
BeginAnew = fun(Queue, Name, Register) ->
  Id = ra_directory:uid_of(quorum_queues, Name),
  case Id =:= undefined orelse
    filelib:is_file(filename:join(ra_env:server_data_dir(quorum_queues, Id), "config")) of
    true -> ok;
    false -> dets:delete(Register, Name)
  end,
  rabbit_quorum_queue:recover(element(2, amqqueue:get_name(Queue)), [Queue])
end,
Elect = fun(Queue) ->
  {Name, _} = Member = amqqueue:get_pid(Queue),
  #{names := #{directory_rev := Register}} = ra_system:fetch(quorum_queues),
  case whereis(Name) of
    undefined -> BeginAnew(Queue, Name, Register);
    _ -> ok
  end,
  dets:sync(Register),
  ra:trigger_election(Member)
end,
Look = fun
  (_, 0) -> ok;
  (Again, Left) ->
    case Leaderless() of
      [] -> ok;
      Queues ->
        [catch Elect(Queue) || Queue <- Queues],
        timer:sleep(500),
        Again(Again, Left - 1)
    end
end,
spawn(fun() ->
  rabbit:await_startup(),
  Look(Look, 20)
end).
`;
