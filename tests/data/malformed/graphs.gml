graph [ node [ id 0 ] ]
Graph [ node [ id 1 ] ]
