graph [ node [ id 0 ]
nodes [ id 1 ] ]
