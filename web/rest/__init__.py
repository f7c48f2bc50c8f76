"""REST: parameters, bodies, problems, paging and the description that all apps share."""
